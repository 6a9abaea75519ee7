"""The nodes of a syntax tree around one character, and what they mean for the names there."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from tensorpeek.server.source import Source

_WITHOUT_TEXT = (ast.boolop, ast.operator, ast.unaryop, ast.cmpop, ast.expr_context)
"""These have no position: several nodes even share one object."""
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def nodes_around(source: Source, target: int) -> list[ast.AST]:
    """The nodes that hold the character at offset `target`, outermost first.

    An f-string is the innermost node for all that it contains: positions in it are wrong before Python 3.12.
    """
    line = source.line_of(target) + 1
    nodes: list[ast.AST] = []
    node: ast.AST | None = source.tree
    while node is not None:
        nodes.append(node)
        children = () if is_formatted_string(node) else ast.iter_child_nodes(node)
        node = next((child for child in children if _holds(source, child, line, target)), None)
    return nodes


def is_formatted_string(node: ast.AST) -> bool:
    """Whether the node is an f-string, or a t-string of Python 3.14."""
    return type(node).__name__ in ("JoinedStr", "TemplateStr")


def is_string(node: ast.AST) -> bool:
    """Whether the node is a string or bytes literal of any kind."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (str, bytes))
    return is_formatted_string(node)


def class_around(nodes: Sequence[ast.AST]) -> str:
    """The name of the innermost class, empty outside of classes."""
    return next((node.name for node in reversed(nodes) if isinstance(node, ast.ClassDef)), "")


def hidden_names(nodes: Sequence[ast.AST]) -> set[str]:
    """Names bound by a comprehension or a lambda around: the frame has no such variable, or another one."""
    hidden: set[str] = set()
    for node in nodes:
        if isinstance(node, _COMPREHENSIONS):
            targets = (name for generator in node.generators for name in ast.walk(generator.target))
            hidden.update(name.id for name in targets if isinstance(name, ast.Name))
        elif isinstance(node, ast.Lambda):
            hidden.update(argument.arg for argument in ast.walk(node.args) if isinstance(argument, ast.arg))
    return hidden


def _holds(source: Source, node: ast.AST, line: int, target: int) -> bool:
    first, last = getattr(node, "lineno", None), getattr(node, "end_lineno", None)
    if first is None or last is None:
        # `arguments`, `comprehension` and the like hold what their children hold.
        children = () if isinstance(node, _WITHOUT_TEXT) else ast.iter_child_nodes(node)
        return any(_holds(source, child, line, target) for child in children)
    if last < line:
        return False
    if any(_holds(source, decorator, line, target) for decorator in _decorators(node)):
        # A decorated definition begins, for `ast`, at its `def`.
        return True
    if first > line:
        return False
    start, end = source.span(node)
    return start <= target < end


def _decorators(node: ast.AST) -> Sequence[ast.expr]:
    is_definition = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
    return node.decorator_list if is_definition else ()
