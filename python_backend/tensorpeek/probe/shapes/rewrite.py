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
ELEMENT = "\0tp-element"
"""Constants that stand for the recorder's functions until the code is made."""
Span = tuple[int, int, int, int]
Codes = dict[tuple[str, int], CodeType]


@dataclass
class Rewritten:
    path: str
    text: str
    spans: list[Span] = field(default_factory=list[Span])
    """Of the expressions, by number."""
    names: list[tuple[str, Span]] = field(default_factory=list[tuple[str, Span]])
    functions: list[tuple[str, int, int, int]] = field(default_factory=list[tuple[str, int, int, int]])
    """Qualified name, line of `def`, last line, line of the first decorator."""
    codes: Codes = field(default_factory=dict[tuple[str, int], CodeType])
    """By name and first line, still with placeholders."""
    originals: Codes = field(default_factory=dict[tuple[str, int], CodeType])
    """What Python makes of the text as it is."""
    makers: set[int] = field(default_factory=set[int])
    """Numbers of the functions in which others are defined."""


def rewritten(path: str, text: str) -> Rewritten:
    """Raises SyntaxError, ValueError or RecursionError for a text that is no Python."""
    result = Rewritten(path, text)
    # Python warns of a constant that is called.
    with ignored_warnings():
        plain = ast.parse(text, path)
        _collect(compile(plain, path, "exec", dont_inherit=True), result.originals)
        code = compile(_Rewriter(result).visit(plain), path, "exec", dont_inherit=True)
    _collect(code, result.codes)
    return result


def with_recorder(
    code: CodeType, callbacks: dict[str, Callable[..., Any]], made: Callable[[CodeType], None]
) -> CodeType:
    """The code with the recorder's functions in the places of the placeholders, also in what it contains.

    `made` is told of what it contains.
    """
    constants: list[Any] = []
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            constants.append(with_recorder(constant, callbacks, made))
            made(constants[-1])
        elif isinstance(constant, str) and constant in callbacks:
            constants.append(callbacks[constant])
        else:
            constants.append(constant)
    return code.replace(co_consts=tuple(constants))


def _collect(code: CodeType, codes: Codes) -> None:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            codes.setdefault((constant.co_name, constant.co_firstlineno), constant)
            _collect(constant, codes)


class _Rewriter(ast.NodeTransformer):
    def __init__(self, result: Rewritten) -> None:
        self._result = result
        self._scope: list[str] = []
        self._depth = 0
        self._maker: int | None = None

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
        if self._maker is not None:
            self._result.makers.add(self._maker)
        maker, self._maker = self._maker, number
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
        self._depth, self._maker = depth, maker
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
        node.targets = [self.visit(target) for target in node.targets]
        return self._assigned(node, node.targets)

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        node.value = self.visit(node.value)
        node.target = self.visit(node.target)
        return self._assigned(node, [node.target])

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        if node.value is None:
            return node
        node.value = self.visit(node.value)
        node.target = self.visit(node.target)
        return self._assigned(node, [node.target])

    def visit_TypeAlias(self, node: Any) -> Any:
        return node

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
        if node.guard is not None:
            node.guard = self.visit(node.guard)
        captured = [part for part in ast.walk(node.pattern) if isinstance(getattr(part, "name", None), str)]
        binds = [self._bind(part.name, part, node.body[0]) for part in captured] if self._depth else []  # pyright: ignore
        node.body = self._marked(node.body, binds)
        return node

    def visit_Delete(self, node: ast.Delete) -> Any:
        return node

    # Expressions

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        is_read = not isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del))
        is_told = self._depth and is_read and isinstance(node, EXPRESSIONS) and not _is_constant(node)
        return self._told(node) if is_told else node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        return node

    def visit_TemplateStr(self, node: ast.AST) -> ast.AST:
        return node

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.AST:
        node.value = self.visit(node.value)
        if not self._depth:
            return node
        node.value = self._call(NAME, [self._name(node.target.id, node.target), node.value], node.value)
        return self._told(node)

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        node.iter = self.visit(node.iter)
        node.ifs = [self.visit(test) for test in node.ifs]
        if self._depth:
            # A test that always holds, before those of the user's.
            node.ifs[:0] = [
                self._call(ELEMENT, [self._name(name.id, name), ast.Name(name.id, ast.Load())], name)
                for name in _names(node.target)
            ]
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

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        node.value = self.visit(node.value)
        if isinstance(node.slice, ast.Tuple):
            # Slices stand only in a tuple that stands in brackets.
            node.slice.elts = [self.visit(element) for element in node.slice.elts]
        else:
            node.slice = self.visit(node.slice)
        is_read = isinstance(node.ctx, ast.Load)
        return self._told(node) if self._depth and is_read else node

    def visit_arguments(self, node: ast.arguments) -> ast.AST:
        return node

    def _told(self, node: Any) -> Any:
        number = len(self._result.spans)
        self._result.spans.append(_span(node))
        return self._call(EXPRESSION, [ast.Constant(number), node], node)

    def _binds(self, targets: list[ast.expr], at: ast.stmt) -> list[ast.stmt]:
        return [self._bind(name.id, name, at) for target in targets for name in _names(target)]

    def _bind(self, name: str, node: Any, at: ast.stmt) -> ast.stmt:
        return self._statement(NAME, [self._name(name, node), ast.Name(name, ast.Load())], at)

    def _name(self, name: str, node: Any) -> ast.expr:
        self._result.names.append((name, _span(node)))
        return ast.Constant(len(self._result.names) - 1)

    def _statement(self, function: str, arguments: list[ast.expr], at: ast.stmt) -> ast.stmt:
        return _placed(ast.Expr(self._call(function, arguments, at)), at)

    def _call(self, function: str, arguments: list[ast.expr], at: Any) -> Any:
        """A call of the recorder's, with the position of what it is about."""
        placed = [_placed(argument, at) for argument in arguments]
        return _placed(ast.Call(_placed(ast.Constant(function), at), placed, []), at)


def _span(node: Any) -> Span:
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


def _names(target: ast.AST) -> list[ast.Name]:
    if isinstance(target, ast.Name):
        return [target]
    if isinstance(target, (ast.Tuple, ast.List)):
        return [name for element in target.elts for name in _names(element)]
    return _names(target.value) if isinstance(target, ast.Starred) else []


def _is_constant(node: ast.AST) -> bool:
    """`(2, 3)`, `-1`: what Python makes once."""
    if isinstance(node, (ast.Tuple, ast.List)):
        return all(_is_constant(element) for element in node.elts)
    if isinstance(node, ast.UnaryOp):
        return _is_constant(node.operand)
    return isinstance(node, ast.Constant)


def _placed(node: Any, at: Any) -> Any:
    """What is there has its own position and keeps it."""
    return node if hasattr(node, "lineno") else ast.copy_location(node, at)
