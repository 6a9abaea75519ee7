"""The statements of a text by function, each with a key that stays the same while its text does."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from tensorpeek.server.source import Source

Place = tuple[int, int]
"""1-based line and UTF-8 column, as `ast` counts."""
MODULE = "<module>"
_SIMPLE = (ast.Assign, ast.Expr, ast.Return, ast.AugAssign, ast.AnnAssign)
"""The most frequent ones that hold no others."""


@dataclass
class Statement:
    """A simple statement, or the head of one that holds others."""

    function: str
    """The qualified name of what it is in; a `def` is in itself."""
    node: ast.stmt
    """Its lines are `shift` less than those of the text, and of a class it may have the head alone."""
    start: Place
    end: Place
    key: str
    shift: int = 0

    def shifted(self, lines: int) -> Statement:
        if not lines:
            return self
        start, end = (self.start[0] + lines, self.start[1]), (self.end[0] + lines, self.end[1])
        return Statement(self.function, self.node, start, end, self.key, self.shift + lines)


def statements(source: Source) -> list[Statement] | None:
    """In the order of the text; None while that is not valid Python."""
    if source.tree is None:
        return None
    return of_body(source.tree.body, MODULE, "", source.lines)


def of_body(body: list[ast.stmt], function: str, prefix: str, lines: Sequence[str]) -> list[Statement]:
    """Of a block in `function`; `prefix` is what the names of functions in it begin with."""
    found: list[Statement] = []
    _add_body(found, body, function, prefix, lines)
    return found


def head_of(node: ast.stmt, function: str, lines: Sequence[str]) -> Statement:
    """What a compound statement says before its blocks."""
    start, end = (node.lineno, node.col_offset), _head_end(node)
    return Statement(function, node, start, end, _key(node, start, end, lines))


def _add_body(
    found: list[Statement], body: list[ast.stmt], function: str, prefix: str, lines: Sequence[str]
) -> None:
    for node in body:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue  # A docstring does nothing.
        if isinstance(node, _SIMPLE):
            start = node.lineno, node.col_offset
            end = node.end_lineno or node.lineno, node.end_col_offset or 0
            found.append(Statement(function, node, start, end, _key(node, start, end, lines)))
            continue
        inner, inner_prefix = function, prefix
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            inner = prefix + node.name
            inner_prefix = f"{inner}.<locals>."
        elif isinstance(node, ast.ClassDef):
            inner_prefix = f"{prefix}{node.name}."
        found.append(head_of(node, inner, lines))
        for block in blocks(node):
            _add_body(found, block, inner, inner_prefix, lines)


def blocks(node: ast.stmt) -> list[list[ast.stmt]]:
    """The bodies in a statement, in the order of the text."""
    found: list[list[ast.stmt]] = [getattr(node, "body", [])]
    found += [part.body for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ()))]
    return [*found, getattr(node, "orelse", []), getattr(node, "finalbody", [])]


def _head_end(node: ast.stmt) -> Place:
    if not getattr(node, "body", None) and not getattr(node, "cases", None):
        return node.end_lineno or node.lineno, node.end_col_offset or 0
    end = node.lineno, node.col_offset
    for name, value in ast.iter_fields(node):
        if name in ("body", "orelse", "finalbody", "handlers", "cases", "decorator_list"):
            continue
        for part in value if isinstance(value, list) else [value]:  # pyright: ignore[reportUnknownVariableType]
            if isinstance(part, ast.AST):
                end = max(end, _last_place(part))
    return end


def _last_place(node: ast.AST) -> Place:
    if (line := getattr(node, "end_lineno", None)) is not None:
        return line, getattr(node, "end_col_offset", 0)
    return max((_last_place(child) for child in ast.iter_child_nodes(node)), default=(0, 0))


def _key(node: ast.stmt, start: Place, end: Place, lines: Sequence[str]) -> str:
    """Its text without its indentation, with what a head says beyond its expressions."""
    name = "" if isinstance(node, _SIMPLE) else getattr(node, "name", "")
    first, last = start[0] - 1, end[0] - 1
    if first == last:
        text = _cut(lines[first], start[1], end[1])
    else:
        indent = start[1]
        middle = [line[min(indent, len(line) - len(line.lstrip())) :] for line in lines[first + 1 : last]]
        tail = _cut(lines[last], 0, end[1])
        tail = tail[min(indent, len(tail) - len(tail.lstrip())) :]
        text = "\n".join([_cut(lines[first], start[1], None), *middle, tail])
    return f"{type(node).__name__} {name} {text}"


def _cut(line: str, start: int, end: int | None) -> str:
    if line.isascii():
        return line[start:end]
    return line.encode()[start:end].decode(errors="replace")
