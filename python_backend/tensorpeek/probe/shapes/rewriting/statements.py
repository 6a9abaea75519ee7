"""Functions, blocks and assignments, which tell that they run and what they bind."""

from __future__ import annotations

import ast
from typing import Any

from tensorpeek.probe.shapes.rewriting.augmented import in_place_assignment
from tensorpeek.probe.shapes.rewriting.calls import binds, entered, named, runs, statement, told
from tensorpeek.probe.shapes.rewriting.expressions import Expressions, arguments_of
from tensorpeek.probe.shapes.rewriting.places import Function, Places


class Statements(Expressions):
    def __init__(self, places: Places) -> None:
        super().__init__(places)
        self._scope: list[str] = []
        self._maker: int | None = None
        """The number of the function this is in."""

    # Scopes

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        self._scope.append(node.name)
        functions, self._functions = self._functions, 0
        node.body = self._block(node.body)
        self._functions = functions
        self._scope.pop()
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self._function(node)

    def _function(self, node: Any) -> ast.AST:
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        node.decorator_list = [self.visit(decorator) for decorator in node.decorator_list]
        node.args = self.visit(node.args)
        number = len(self._places.functions)
        self._makes()
        self._scope.append(node.name)
        self._places.functions.append(Function(".".join(self._scope), node.lineno, node.end_lineno, first))
        self._scope.append("<locals>")
        maker, self._maker = self._maker, number
        functions, self._functions = self._functions, self._functions + 1
        start = 1 if ast.get_docstring(node, clean=False) is not None else 0
        body: list[ast.stmt] = node.body[start:]
        at = body[0] if body else node.body[-1]
        bound = [statement(named(self._places, each.arg, each, at), at) for each in arguments_of(node.args)]
        node.body = [*node.body[:start], entered(number, at), *bound, *self._block(body)]
        self._functions, self._maker = functions, maker
        self._scope.pop()
        self._scope.pop()
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        self._makes()
        return super().visit_Lambda(node)

    def _makes(self) -> None:
        if self._maker is not None:
            self._places.makers.add(self._maker)

    # Blocks

    def _block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        out: list[ast.stmt] = []
        for each in statements:
            result = self.visit(each)
            out.extend(result if isinstance(result, list) else [result])
        return out

    def _marked(self, statements: list[ast.stmt], before: list[ast.stmt] | None = None) -> list[ast.stmt]:
        """A block of its own, which tells that it runs."""
        if not statements or not self._functions:
            return self._block(statements)
        return [runs(statements[0]), *(before or []), *self._block(statements)]

    def visit_For(self, node: ast.For) -> Any:
        return self._loop(node)

    def visit_AsyncFor(self, node: ast.AsyncFor) -> Any:
        return self._loop(node)

    def _loop(self, node: Any) -> Any:
        node.iter = self.visit(node.iter)
        bound = self._bound([node.target], node.body[0])
        node.body = self._marked(node.body, bound)
        node.orelse = self._marked(node.orelse)
        return node

    def visit_While(self, node: ast.While) -> Any:
        return self._branches(node)

    def visit_If(self, node: ast.If) -> Any:
        return self._branches(node)

    def _branches(self, node: Any) -> Any:
        node.test = self._condition(node.test)
        node.body, node.orelse = self._marked(node.body), self._marked(node.orelse)
        return node

    def visit_Assert(self, node: ast.Assert) -> Any:
        node.test = self._condition(node.test)
        node.msg = node.msg and self.visit(node.msg)
        return node

    def visit_With(self, node: ast.With) -> Any:
        return self._with(node)

    def visit_AsyncWith(self, node: ast.AsyncWith) -> Any:
        return self._with(node)

    def _with(self, node: Any) -> Any:
        for item in node.items:
            item.context_expr = self.visit(item.context_expr)
        targets = [item.optional_vars for item in node.items if item.optional_vars is not None]
        node.body = [*self._bound(targets, node.body[0]), *self._block(node.body)]
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> Any:
        node.body = self._marked(node.body)
        return node

    def visit_match_case(self, node: Any) -> Any:
        if node.guard is not None:
            node.guard = self._condition(node.guard)
        at = node.body[0]
        bound = [statement(named(self._places, name, part, at), at) for name, part in _captures(node.pattern)]
        node.body = self._marked(node.body, bound)
        return node

    # Assignments

    def visit_Assign(self, node: ast.Assign) -> Any:
        node.value = self.visit(node.value)
        node.targets = [self.visit(target) for target in node.targets]
        return [node, *self._bound(node.targets, node)]

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        if node.value is None:
            return node
        node.value = self.visit(node.value)
        node.target = self.visit(node.target)
        return [node, *self._bound([node.target], node)]

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        node.value = self.visit(node.value)
        if not self._functions:
            return node
        if isinstance(node.target, ast.Name):
            whole = told(self._places, ast.Name(node.target.id, ast.Load()), node)
            return [node, statement(whole, node), *self._bound([node.target], node)]
        node.target.value = self.visit(node.target.value)
        if isinstance(node.target, ast.Subscript):
            node.target.slice = self._index(node.target.slice)
        return in_place_assignment(self._places, node)

    def visit_TypeAlias(self, node: Any) -> Any:
        return node

    def visit_Delete(self, node: ast.Delete) -> Any:
        return node

    def _bound(self, targets: list[ast.expr], at: ast.stmt) -> list[ast.stmt]:
        return binds(self._places, targets, at) if self._functions else []


def _captures(pattern: Any) -> list[tuple[str, Any]]:
    """The names that a pattern of `match` binds, each with what binds it."""
    return [
        (name, part)
        for part in ast.walk(pattern)
        for name in (getattr(part, "name", None), getattr(part, "rest", None))
        if isinstance(name, str)
    ]
