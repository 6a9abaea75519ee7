"""Makes statements out of the middle of a function executable on their own, at their own lines."""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from types import CodeType

LEFT = "__tensorpeek_left"
"""The name of the exception that stands for a `return` that the real run did not take."""


def compiled(
    statements: Sequence[ast.stmt], filename: str, class_name: str, first_parameter: str
) -> CodeType:
    """A module's code that does what the statements did in their function, given its names as globals."""
    rewriter = _Rewriter(class_name, first_parameter)
    own: list[ast.stmt] = []
    for statement in copy.deepcopy(list(statements)):
        rewritten = rewriter.visit(statement)
        own.extend(rewritten if isinstance(rewritten, list) else [rewritten])
    once = ast.parse("for __tensorpeek_once in (0,): pass").body[0]
    assert isinstance(once, ast.For)
    once.body = own or [ast.Pass()]
    tree = ast.Module(body=[once], type_ignores=[])
    return compile(ast.fix_missing_locations(tree), filename, "exec", dont_inherit=True)


class _Rewriter(ast.NodeTransformer):
    """What is legal or means something only in its function gets another form; nested functions stay."""

    def __init__(self, class_name: str, first_parameter: str) -> None:
        self._class_name = class_name.lstrip("_")
        self._first_parameter = first_parameter

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        return node

    def visit_Global(self, node: ast.Global) -> ast.AST:
        return ast.copy_location(ast.Pass(), node)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> ast.AST:
        return ast.copy_location(ast.Pass(), node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """In a function, the annotation of a local is never evaluated."""
        self.generic_visit(node)
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        return ast.copy_location(ast.Assign(targets=[node.target], value=node.value), node)

    def visit_Return(self, node: ast.Return) -> ast.AST:
        name = ast.copy_location(ast.Name(LEFT, ast.Load()), node)
        return ast.copy_location(ast.Raise(exc=name, cause=None), node)

    def visit_Yield(self, node: ast.Yield) -> ast.AST:
        return ast.copy_location(ast.Constant(None), node)

    def visit_Await(self, node: ast.Await) -> ast.AST:
        """Fails when it is reached; the statements before it have then been run."""
        name = ast.copy_location(ast.Name(LEFT, ast.Load()), node)
        return ast.copy_location(ast.Call(name, [], []), node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        node.attr = self._mangled(node.attr)
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self._mangled(node.id)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        is_super = isinstance(node.func, ast.Name) and node.func.id == "super"
        if is_super and not node.args and self._first_parameter:
            node.args = [
                ast.copy_location(ast.Name(name, ast.Load()), node)
                for name in ("__class__", self._first_parameter)
            ]
        self.generic_visit(node)
        return node

    def _mangled(self, name: str) -> str:
        is_private = name.startswith("__") and not name.endswith("__") and self._class_name
        return f"_{self._class_name}{name}" if is_private else name
