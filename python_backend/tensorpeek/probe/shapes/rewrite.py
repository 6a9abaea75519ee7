"""Rewrites a file so that each expression in its functions is told to a recorder.

The recorder's functions are constants of the code, so that no name of ours is in the program's namespaces.
What is added has the positions of what it is about: lines and tracebacks stay as they are.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from types import CodeType
from typing import Any, Callable

from tensorpeek.probe.quiet import ignored_warnings

EXPRESSIONS = (
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
EXPRESSION, NAME, BLOCK, FUNCTION = "\0tp-expression", "\0tp-name", "\0tp-block", "\0tp-function"
"""Constants that stand for the recorder's functions until the code is made."""
Span = tuple[int, int, int, int]


@dataclass
class Rewritten:
    path: str
    text: str
    spans: list[Span] = field(default_factory=list[Span])
    """Of the expressions, by number."""
    names: list[tuple[str, Span]] = field(default_factory=list[tuple[str, Span]])
    functions: list[tuple[str, int, int, int]] = field(default_factory=list[tuple[str, int, int, int]])
    """Qualified name, line of `def`, last line, line of the first decorator."""
    codes: dict[tuple[str, int], CodeType] = field(default_factory=dict[tuple[str, int], CodeType])
    """By name and first line, still with placeholders."""


def rewritten(path: str, text: str) -> Rewritten:
    """Raises SyntaxError, ValueError or RecursionError for a text that is no Python."""
    result = Rewritten(path, text)
    tree = _Rewriter(result).visit(ast.parse(text, path))
    # Python warns of a constant that is called.
    with ignored_warnings():
        code = compile(tree, path, "exec", dont_inherit=True)
    _collect(code, result.codes)
    return result


def with_recorder(code: CodeType, callbacks: dict[str, Callable[..., Any]]) -> CodeType:
    """The code with the recorder's functions in the places of the placeholders, also in what it contains."""
    constants: list[Any] = []
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            constants.append(with_recorder(constant, callbacks))
        elif isinstance(constant, str) and constant in callbacks:
            constants.append(callbacks[constant])
        else:
            constants.append(constant)
    return code.replace(co_consts=tuple(constants))


def _collect(code: CodeType, codes: dict[tuple[str, int], CodeType]) -> None:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            codes.setdefault((constant.co_name, constant.co_firstlineno), constant)
            _collect(constant, codes)


class _Rewriter(ast.NodeTransformer):
    def __init__(self, result: Rewritten) -> None:
        self._result = result
        self._scope: list[str] = []
        self._depth = 0

    # Scopes

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        self._scope.append(node.name)
        depth, self._depth = self._depth, 0
        node.body = [self.visit(statement) for statement in node.body]
        self._depth = depth
        self._scope.pop()
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self._function(node)

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        return node

    def _function(self, node: Any) -> ast.AST:
        self._scope.append(node.name)
        number = len(self._result.functions)
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        name = ".".join(self._scope)
        self._result.functions.append((name, node.lineno, node.end_lineno, first))
        self._scope.append("<locals>")
        depth, self._depth = self._depth, self._depth + 1
        start = 1 if ast.get_docstring(node, clean=False) is not None else 0
        body: list[ast.stmt] = node.body[start:]
        arguments = node.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        every += [extra for extra in (arguments.vararg, arguments.kwarg) if extra is not None]
        at = body[0] if body else node.body[-1]
        entry = [self._statement(FUNCTION, [ast.Constant(number)], at)]
        entry += [self._bind(argument.arg, argument, at) for argument in every]
        node.body = [*node.body[:start], *entry, *self._block(body)]
        self._depth = depth
        self._scope.pop()
        self._scope.pop()
        return node

    # Statements

    def _block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        out: list[ast.stmt] = []
        for statement in statements:
            result = self.visit(statement)
            out.extend(result if isinstance(result, list) else [result])  # pyright: ignore[reportUnknownArgumentType]
        return out

    def _marked(self, statements: list[ast.stmt], before: list[ast.stmt] | None = None) -> list[ast.stmt]:
        """A block of its own, which tells that it runs."""
        if not statements or not self._depth:
            return self._block(statements)
        mark = self._statement(BLOCK, [ast.Constant(statements[0].lineno)], statements[0])
        return [mark, *(before or []), *self._block(statements)]

    def _assigned(self, node: Any, targets: list[ast.expr]) -> Any:
        if not self._depth:
            return node
        return [node, *self._binds(targets, node)]

    def visit_Assign(self, node: ast.Assign) -> Any:
        node.value = self.visit(node.value)
        return self._assigned(node, node.targets)

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        node.value = self.visit(node.value)
        return self._assigned(node, [node.target])

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        if node.value is None:
            return node
        node.value = self.visit(node.value)
        return self._assigned(node, [node.target])

    def visit_For(self, node: ast.For) -> Any:
        return self._loop(node)

    def visit_AsyncFor(self, node: ast.AsyncFor) -> Any:
        return self._loop(node)

    def _loop(self, node: Any) -> Any:
        node.iter = self.visit(node.iter)
        binds = self._binds([node.target], node.body[0]) if self._depth else []
        node.body = self._marked(node.body, binds)
        node.orelse = self._marked(node.orelse)
        return node

    def visit_While(self, node: ast.While) -> Any:
        node.test = self.visit(node.test)
        node.body, node.orelse = self._marked(node.body), self._marked(node.orelse)
        return node

    def visit_If(self, node: ast.If) -> Any:
        node.test = self.visit(node.test)
        node.body, node.orelse = self._marked(node.body), self._marked(node.orelse)
        return node

    def visit_With(self, node: ast.With) -> Any:
        return self._with(node)

    def visit_AsyncWith(self, node: ast.AsyncWith) -> Any:
        return self._with(node)

    def _with(self, node: Any) -> Any:
        targets: list[ast.expr] = []
        for item in node.items:
            item.context_expr = self.visit(item.context_expr)
            if item.optional_vars is not None:
                targets.append(item.optional_vars)
        binds = self._binds(targets, node.body[0]) if self._depth else []
        node.body = [*binds, *self._block(node.body)]
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> Any:
        node.body = self._marked(node.body)
        return node

    def visit_match_case(self, node: Any) -> Any:
        node.body = self._marked(node.body)
        return node

    def visit_Delete(self, node: ast.Delete) -> Any:
        return node

    # Expressions

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        is_read = not isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del))
        return self._told(node) if self._depth and is_read and isinstance(node, EXPRESSIONS) else node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Name) and node.func.id in ("super", "locals", "vars", "dir"):
            return node
        if isinstance(node.func, ast.Attribute):
            node.func.value = self.visit(node.func.value)
        elif not isinstance(node.func, ast.Name):
            node.func = self.visit(node.func)
        node.args = [self.visit(argument) for argument in node.args]
        for keyword in node.keywords:
            keyword.value = self.visit(keyword.value)
        return self._told(node) if self._depth else node

    def visit_Slice(self, node: ast.Slice) -> ast.AST:
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        node.value = self.visit(node.value)
        if isinstance(node.slice, ast.Tuple):
            node.slice.elts = [self.visit(element) for element in node.slice.elts]
        else:
            node.slice = self.visit(node.slice)
        is_read = isinstance(node.ctx, ast.Load)
        return self._told(node) if self._depth and is_read else node

    def visit_arguments(self, node: ast.arguments) -> ast.AST:
        return node

    def _told(self, node: Any) -> Any:
        number = len(self._result.spans)
        self._result.spans.append((node.lineno, node.col_offset, node.end_lineno, node.end_col_offset))
        call = ast.Call(ast.Constant(EXPRESSION), [ast.Constant(number), node], [])
        return _at(call, node)

    def _binds(self, targets: list[ast.expr], at: ast.stmt) -> list[ast.stmt]:
        return [self._bind(name.id, name, at) for target in targets for name in _names(target)]

    def _bind(self, name: str, node: Any, at: ast.stmt) -> ast.stmt:
        number = len(self._result.names)
        span = (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
        self._result.names.append((name, span))
        return self._statement(NAME, [ast.Constant(number), ast.Name(name, ast.Load())], at)

    def _statement(self, function: str, arguments: list[ast.expr], at: ast.stmt) -> ast.stmt:
        return _at(ast.Expr(ast.Call(ast.Constant(function), arguments, [])), at)


def _names(target: ast.AST) -> list[ast.Name]:
    if isinstance(target, ast.Name):
        return [target]
    if isinstance(target, (ast.Tuple, ast.List)):
        return [name for element in target.elts for name in _names(element)]
    return _names(target.value) if isinstance(target, ast.Starred) else []


def _at(node: Any, other: Any) -> Any:
    """Gives what is new the position of what is there; what is there keeps its own."""
    for child in ast.walk(node):
        if child is other:
            continue
        if "lineno" in child._attributes and not hasattr(child, "lineno"):
            ast.copy_location(child, other)
    return node
