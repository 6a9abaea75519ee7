"""The syntax tree behind a code object: the body of the function that it was compiled from."""

from __future__ import annotations

import ast
import linecache
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType
from typing import Union

FunctionNode = Union[ast.FunctionDef, ast.AsyncFunctionDef]

_NO_LINES = (0, -1)


@dataclass(frozen=True, eq=False)
class Function:
    """A function's own statements, or a module's."""

    body: list[ast.stmt]
    parameters: tuple[str, ...] = ()
    class_name: str = ""
    """Of the class that the function is defined in; for `self.__private` and `super()`."""
    is_coroutine: bool = False
    """Whether calling it runs nothing yet: a generator or a coroutine."""


def function_of(code: CodeType) -> Function | None:
    """None where there is no source, or where the file is no longer what the code was compiled from."""
    tree = _tree(code.co_filename)
    if tree is None:
        return None
    if code.co_name == "<module>":
        return Function(tree.body)
    return _search(tree, code.co_name, code.co_firstlineno, "")


@lru_cache(maxsize=64)
def _tree(path: str) -> ast.Module | None:
    text = "".join(linecache.getlines(path))
    try:
        return ast.parse(text) if text else None
    except (SyntaxError, ValueError, RecursionError):
        return None


def _search(node: ast.AST, name: str, line: int, class_name: str) -> Function | None:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if child.name == name and first_line(child) == line:
                return Function(child.body, parameters(child), class_name, _is_coroutine(child))
            inner = class_name
        else:
            inner = child.name if isinstance(child, ast.ClassDef) else class_name
        if lines_of(child)[0] <= line <= lines_of(child)[1] or not hasattr(child, "lineno"):
            found = _search(child, name, line, inner)
            if found is not None:
                return found
    return None


def first_line(node: FunctionNode) -> int:
    """As the code object counts it: decorators belong to the function."""
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def lines_of(node: ast.AST) -> tuple[int, int]:
    """The first and the last line of a statement or expression, with decorators; of anything else, none."""
    if not isinstance(node, (ast.stmt, ast.expr, ast.excepthandler)):
        return _NO_LINES
    first = node.lineno
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        first = min([first, *(decorator.lineno for decorator in node.decorator_list)])
    return first, node.end_lineno or node.lineno


def parameters(node: FunctionNode | ast.Lambda) -> tuple[str, ...]:
    arguments = node.args
    rest = [argument for argument in (arguments.vararg, arguments.kwarg) if argument is not None]
    return tuple(
        argument.arg for argument in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *rest]
    )


def own_nodes(node: ast.AST) -> list[ast.AST]:
    """The node and all below it, without what nested functions and classes hold."""
    found, waiting = [], [node]
    while waiting:
        current = waiting.pop()
        found.append(current)
        nested = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
        if current is node or not isinstance(current, nested):
            waiting.extend(ast.iter_child_nodes(current))
    return found


def _is_coroutine(node: FunctionNode) -> bool:
    is_generator = any(isinstance(inner, (ast.Yield, ast.YieldFrom)) for inner in own_nodes(node))
    return is_generator or isinstance(node, ast.AsyncFunctionDef)
