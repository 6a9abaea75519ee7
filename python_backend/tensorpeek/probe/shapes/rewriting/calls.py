"""The calls that are put into a tree."""

from __future__ import annotations

import ast
from typing import Any

from tensorpeek.probe.shapes.rewriting.placeholders import BLOCK, EXPRESSION, FUNCTION, NAME
from tensorpeek.probe.shapes.rewriting.places import Places, span_of


def call(function: str, arguments: list[ast.expr], at: Any) -> Any:
    """Of a placeholder, with the position of what it is about."""
    placed_arguments = [placed(argument, at) for argument in arguments]
    return placed(ast.Call(placed(ast.Constant(function), at), placed_arguments, []), at)


def told(places: Places, node: Any, at: Any = None) -> Any:
    """An expression that also tells what it gives; `at` is what has its place, by default itself."""
    places.expressions.append(span_of(at or node))
    return call(EXPRESSION, [ast.Constant(len(places.expressions) - 1), node], at or node)


def name_number(places: Places, name: str, node: Any) -> ast.expr:
    places.names.append((name, span_of(node)))
    return ast.Constant(len(places.names) - 1)


def named(places: Places, name: str, node: Any, at: ast.AST) -> ast.expr:
    """Tells what a name is bound to; `node` is where it stands, `at` where Python is by then."""
    return call(NAME, [name_number(places, name, node), ast.Name(name, ast.Load())], at)


def binds(places: Places, targets: list[ast.expr], at: ast.stmt) -> list[ast.stmt]:
    return [
        statement(named(places, name.id, name, at), at) for target in targets for name in names_in(target)
    ]


def entered(number: int, at: ast.stmt) -> ast.stmt:
    return statement(call(FUNCTION, [ast.Constant(number)], at), at)


def runs(block: ast.stmt) -> ast.stmt:
    """Tells that a block runs whose first statement is given."""
    return statement(call(BLOCK, [ast.Constant(block.lineno)], block), block)


def statement(expression: ast.expr, at: ast.AST) -> ast.stmt:
    return placed(ast.Expr(expression), at)


def names_in(target: ast.AST) -> list[ast.Name]:
    if isinstance(target, ast.Name):
        return [target]
    if isinstance(target, (ast.Tuple, ast.List)):
        return [name for element in target.elts for name in names_in(element)]
    return names_in(target.value) if isinstance(target, ast.Starred) else []


def placed(node: Any, at: Any) -> Any:
    """What is there has its own position and keeps it."""
    return node if hasattr(node, "lineno") else ast.copy_location(node, at)
