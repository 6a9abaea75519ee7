"""Expressions, each wrapped in a call that tells what it gives."""

from __future__ import annotations

import ast
import sys
from typing import Any, Callable

from tensorpeek.probe.shapes.rewriting.calls import call, name_number, named, names_in, told
from tensorpeek.probe.shapes.rewriting.placeholders import ELEMENT, LAST, NAME
from tensorpeek.probe.shapes.rewriting.places import Places

TOLD = (
    ast.Call,
    ast.BinOp,
    ast.UnaryOp,
    ast.BoolOp,
    ast.Compare,
    ast.Subscript,
    ast.Attribute,
    ast.IfExp,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.Tuple,
    ast.List,
    ast.Dict,
    ast.Await,
    ast.NamedExpr,
)
OF_THE_FRAME = ("super", "locals", "vars", "dir")
"""Functions that look into the frame that calls them: their calls stay as they are."""
KNOWS_PLACES_IN_STRINGS = sys.version_info >= (3, 12)
"""Before, what stands in an f-string has places of a text of its own."""
PLACES_COMPARISONS = (3, 10) <= sys.version_info < (3, 12)
"""An error of asking a comparison for its truth has its place; of others, that of the statement."""
DEEPEST = 60
"""Nodes within each other that are rewritten. What is deeper stays: Python's own stack is limited."""


class Expressions(ast.NodeTransformer):
    def __init__(self, places: Places) -> None:
        self._places = places
        self._functions = 0
        """How many functions this is in; outside of them nothing is told."""
        self._nodes = 0

    def visit(self, node: ast.AST) -> Any:
        return self._deeper(super().visit, node)

    def _deeper(self, rewritten: Callable[[Any], Any], node: Any) -> Any:
        if self._nodes >= DEEPEST:
            return node
        self._nodes += 1
        try:
            return rewritten(node)
        finally:
            self._nodes -= 1

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        is_read = not isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del))
        is_told = is_read and isinstance(node, TOLD) and not is_constant(node) and not is_negation(node)
        return self._told(node) if is_told else node

    def _condition(self, node: Any) -> Any:
        """An expression that is asked for its truth by a jump.

        Python jumps within `and`, `or`, `not` and conditional expressions, so those stay what they are.
        """
        return self._deeper(self._parts_of_condition, node)

    def _parts_of_condition(self, node: Any) -> Any:
        if is_negation(node):
            node.operand = self._condition(node.operand)
        elif isinstance(node, ast.BoolOp):
            node.values = [self._condition(value) for value in node.values]
        elif isinstance(node, ast.IfExp):
            for part in ("test", "body", "orelse"):
                setattr(node, part, self._condition(getattr(node, part)))
        elif isinstance(node, ast.Compare) and PLACES_COMPARISONS:
            super().generic_visit(node)
        else:
            return self.visit(node)
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        node.test = self._condition(node.test)
        node.body, node.orelse = self.visit(node.body), self.visit(node.orelse)
        return self._told(node)

    def _told(self, node: Any) -> Any:
        return told(self._places, node) if self._functions else node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Name) and node.func.id in OF_THE_FRAME:
            return node
        if isinstance(node.func, ast.Attribute):
            node.func.value = self.visit(node.func.value)
        elif not isinstance(node.func, ast.Name):
            node.func = self.visit(node.func)
        node.args = [self.visit(argument) for argument in node.args]
        for keyword in node.keywords:
            keyword.value = self.visit(keyword.value)
        return self._told(node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        node.value = self.visit(node.value)
        node.slice = self._index(node.slice)
        return self._told(node) if isinstance(node.ctx, ast.Load) else node

    def _index(self, index: ast.expr) -> ast.expr:
        if isinstance(index, ast.Tuple):
            # Slices stand only in a tuple that stands in brackets.
            index.elts = [self.visit(element) for element in index.elts]
            return index
        return self.visit(index)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.AST:
        node.value = self.visit(node.value)
        if not self._functions:
            return node
        number = name_number(self._places, node.target.id, node.target)
        node.value = call(NAME, [number, node.value], node.value)
        return self._told(node)

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        node.iter = self.visit(node.iter)
        node.ifs = [self._condition(test) for test in node.ifs]
        if self._functions:
            # A test that always holds, before those of the user's.
            node.ifs[:0] = [
                call(
                    ELEMENT,
                    [name_number(self._places, name.id, name), ast.Name(name.id, ast.Load())],
                    name,
                )
                for name in names_in(node.target)
            ]
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        node.args = self.visit(node.args)
        self._functions += 1
        arguments = [named(self._places, each.arg, each, node.body) for each in arguments_of(node.args)]
        body = self.visit(node.body)
        node.body = call(LAST, [*arguments, body], node.body) if arguments else body
        self._functions -= 1
        return node

    def visit_arguments(self, node: ast.arguments) -> ast.AST:
        """The defaults, which the function around evaluates."""
        node.defaults = [self.visit(default) for default in node.defaults]
        node.kw_defaults = [default and self.visit(default) for default in node.kw_defaults]
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        return super().generic_visit(node) if KNOWS_PLACES_IN_STRINGS else node

    def visit_TemplateStr(self, node: ast.AST) -> ast.AST:
        return node


def arguments_of(arguments: ast.arguments) -> list[ast.arg]:
    extra = [each for each in (arguments.vararg, arguments.kwarg) if each is not None]
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *extra]


def is_negation(node: ast.AST) -> bool:
    """Its value is never a tensor."""
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)


def is_constant(node: ast.AST) -> bool:
    """`(2, 3)`, `-1`: what Python makes once."""
    if isinstance(node, (ast.Tuple, ast.List)):
        return all(is_constant(element) for element in node.elts)
    if isinstance(node, ast.UnaryOp):
        return is_constant(node.operand)
    return isinstance(node, ast.Constant)
