"""Which names a paused function has used up to its current line, and where."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Union

_Function = Union[ast.FunctionDef, ast.AsyncFunctionDef]
_NESTED_SCOPES = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Lambda,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
)


@dataclass(frozen=True)
class NameUse:
    """`expression` (a name or a chain of attributes of `self`) stands at these columns of the line.

    Lines and columns are 1-based, columns in UTF-16 code units, `end_column` is exclusive.
    """

    expression: str
    line: int
    start_column: int
    end_column: int


class FrameSource:
    """The text of a file, for a frame that is paused in one of its lines. Raises SyntaxError, ValueError."""

    def __init__(self, text: str, paused_line: int) -> None:
        self._lines = [line.encode() for line in text.split("\n")]
        self._paused_line = paused_line
        tree = _parsed(text)
        self._body: ast.Module | _Function = _innermost_function(tree, paused_line) or tree

    def uses(self) -> list[NameUse]:
        """From the function's first line to the paused one, each expression once per line, in order."""
        uses: dict[tuple[int, str], NameUse] = {}
        for expression, node in self._expressions():
            line = node.end_lineno or node.lineno
            if node.lineno == line <= self._paused_line:
                use = NameUse(expression, line, *self._columns(node))
                uses.setdefault((line, expression), use)
        return sorted(uses.values(), key=lambda use: (use.line, use.start_column))

    def assignment_lines(self) -> dict[str, int]:
        """For each name, the last line before the paused one that assigned it; parameters at the `def`."""
        lines: dict[str, int] = {}
        for expression, node in self._expressions():
            is_target = isinstance(node, ast.arg) or (
                isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            )
            if is_target and node.lineno < self._paused_line:
                lines[expression] = max(node.lineno, lines.get(expression, 0))
        return lines

    def _expressions(self) -> Iterator[tuple[str, ast.expr | ast.arg]]:
        """Every name and `self` chain of this scope; the names of nested scopes are not ours."""
        pending: list[ast.AST] = [self._body]
        while pending:
            node = pending.pop()
            if node is not self._body and isinstance(node, _NESTED_SCOPES):
                pending += _outer_part(node)
                continue
            if isinstance(node, ast.arg):
                yield node.arg, node
            elif isinstance(node, (ast.Name, ast.Attribute)):
                chain = _chain(node)
                if chain is not None:
                    yield chain, node
                    continue
            pending += ast.iter_child_nodes(node)

    def _columns(self, node: ast.expr | ast.arg) -> tuple[int, int]:
        line = self._lines[node.lineno - 1]
        return _utf16_column(line, node.col_offset), _utf16_column(line, node.end_col_offset or 0)


@lru_cache(maxsize=4)
def _parsed(text: str) -> ast.Module:
    """Stepping through a file asks for it at each stop."""
    return ast.parse(text)


def _chain(node: ast.expr) -> str | None:
    """`x`, or `self.a.b` as a whole; None for an attribute of anything else: its root is a use by itself."""
    names: list[str] = []
    root = node
    while isinstance(root, ast.Attribute):
        names.append(root.attr)
        root = root.value
    if not isinstance(root, ast.Name) or (names and root.id != "self"):
        return None
    return ".".join([root.id, *reversed(names)])


def _innermost_function(tree: ast.Module, line: int) -> _Function | None:
    innermost: _Function | None = None
    for node in ast.walk(tree):  # breadth first, so a nested function comes after the one around it
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            if first <= line <= (node.end_lineno or first):
                innermost = node
    return innermost


def _outer_part(node: ast.AST) -> list[ast.AST]:
    """What a nested scope evaluates in the one around it: the first iterable, defaults, decorators, bases."""
    if isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        return [node.generators[0].iter]
    if isinstance(node, ast.ClassDef):
        return [*node.bases, *node.decorator_list]
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        defaults = [d for d in (*node.args.defaults, *node.args.kw_defaults) if d is not None]
        return [*defaults, *getattr(node, "decorator_list", [])]
    return []


def _utf16_column(line: bytes, utf8_offset: int) -> int:
    before = line[:utf8_offset].decode(errors="replace")
    return len(before.encode("utf-16-le", "surrogatepass")) // 2 + 1


def root_name(expression: str) -> str:
    """The name that an expression of Python starts with: `batch` of `batch["x"][0]`."""
    end = next((i for i, c in enumerate(expression) if not (c.isalnum() or c == "_")), len(expression))
    return expression[:end]
