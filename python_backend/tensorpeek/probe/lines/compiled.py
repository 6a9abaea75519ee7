"""A condition or log message as code, in which each call of `tp` is a function of its own.

`tp` is not put into anybody's namespace: the functions are constants of the code. The program's own `tp` goes
first where it has what is asked of it.
"""

from __future__ import annotations

import ast
from contextlib import suppress
from types import CodeType
from typing import Any, Callable, cast

from tensorpeek.catalogue.functions import BY_NAME
from tensorpeek.catalogue.line_condition import TP, is_used
from tensorpeek.probe import raw
from tensorpeek.probe.lines.hits import Hits
from tensorpeek.probe.lines.tp import function
from tensorpeek.probe.lines.watches import Watch
from tensorpeek.probe.quiet import ignored_warnings

PLACEHOLDER = "\0tensorpeek "
"""Begins a constant that is to become a function; no text of a user's contains it."""


class Compiled:
    """An expression of the user's, to be evaluated in many frames. Raises SyntaxError where it is none."""

    def __init__(self, text: str, hits: Hits) -> None:
        with ignored_warnings():
            tree = ast.parse(text.strip(), mode="eval")
            self._may_skip = any(isinstance(node, (ast.BoolOp, ast.IfExp)) for node in ast.walk(tree))
            self._has_scopes = any(isinstance(node, _SCOPES) for node in ast.walk(tree))
            """Whether it has functions of its own, which Python lets see global names only."""
            self._plain = compile(tree, "<condition>", "eval")
            self.uses_tp = is_used(tree)
            self._names: set[str] = set()
            self._skippable: list[tuple[Watch[Any], CodeType]] = []
            self._code = self._plain
            if self.uses_tp:
                replacing = _Replacing(hits)
                replaced = ast.fix_missing_locations(replacing.visit(tree))
                self._names = replacing.names
                functions = replacing.functions
                self._code = with_functions(compile(replaced, "<condition>", "eval"), functions)
                self._skippable = [
                    (watch, with_functions(compile(ast.Expression(call), "<condition>", "eval"), functions))
                    for watch, call in replacing.skippable
                ]

    def evaluate(self, global_names: dict[str, Any], local_names: Any) -> Any:
        """Raises whatever the expression raises."""
        if (
            self.uses_tp
            and (TP in local_names or TP in global_names)
            and self._means_users(local_names[TP] if TP in local_names else global_names[TP])
        ):
            return self._run(self._plain, global_names, local_names)
        if self._skippable and self._may_skip:
            return self._run_whole(global_names, local_names)
        return self._run(self._code, global_names, local_names)

    def _run(self, code: CodeType, global_names: dict[str, Any], local_names: Any) -> Any:
        if self._has_scopes:
            return eval(code, {**global_names, **local_names})  # noqa: S307 - the user's own text
        return eval(code, global_names, local_names)  # noqa: S307 - as above

    def _run_whole(self, global_names: dict[str, Any], local_names: Any) -> Any:
        """Also what Python skips: `a and tp.spike(b)` has to know the usual values of b."""
        try:
            return self._run(self._code, global_names, local_names)
        finally:
            for watch, code in self._skippable:
                if not watch.was_called:
                    with suppress(Exception):
                        self._run(code, global_names, local_names)

    def _means_users(self, own: Any) -> bool:
        """Whether the program's own `tp` has one of the attributes that are asked for."""
        return any(
            raw.in_class(type(own), name) is not raw.MISSING or raw.attribute(own, name) is not raw.MISSING
            for name in self._names
        )


_SCOPES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


_OPERATIONS = {"item", "detach", "mean", "sum", "norm", "abs", "max", "min", "cpu", "float"}
"""Calls without effects, by the names of torch."""


class _Replacing(ast.NodeTransformer):
    """Puts a placeholder wherever a function of `tp` stands."""

    def __init__(self, hits: Hits) -> None:
        self._hits = hits
        self._depth = 0
        """Of functions inside the expression."""
        self.names: set[str] = set()
        self.functions: list[Callable[..., Any]] = []
        self.skippable: list[tuple[Watch[Any], ast.Call]] = []
        """Calls that have to see every value, and may, since looking at their arguments does nothing."""

    def visit(self, node: ast.AST) -> Any:
        self._depth += isinstance(node, _SCOPES)
        visited = super().visit(node)
        self._depth -= isinstance(node, _SCOPES)
        return visited

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if not _is_ours(node.func):
            return self.generic_visit(node)
        values = (*node.args, *(keyword.value for keyword in node.keywords))
        has_effects = any(map(_may_have_effects, values))
        made = self._made(node.func, node.args)
        node = cast(ast.Call, self.generic_visit(node))
        node.func = self._placeholder(node.func, made)
        if isinstance(made, Watch) and made.sees_everything and not self._depth and not has_effects:
            self.skippable.append((made, node))
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        return node if _is_ours(node) else self.generic_visit(node)

    def _made(self, function_node: Any, arguments: list[ast.expr]) -> Callable[..., Any]:
        info = BY_NAME[function_node.attr]
        shown = arguments if info.arguments and info.arguments[0].many else arguments[:1]
        self.names.add(info.name)
        return function(info.name, ", ".join(map(ast.unparse, shown)), self._hits)

    def _placeholder(self, node: ast.AST, made: Callable[..., Any]) -> ast.Constant:
        self.functions.append(made)
        return ast.copy_location(ast.Constant(f"{PLACEHOLDER}{len(self.functions) - 1}"), node)


def _is_ours(node: ast.AST) -> bool:
    if not isinstance(node, ast.Attribute) or node.attr not in BY_NAME:
        return False
    return isinstance(node.value, ast.Name) and node.value.id == TP


def _may_have_effects(value: ast.expr) -> bool:
    return any(
        isinstance(node, (ast.Await, ast.NamedExpr, ast.Yield, ast.YieldFrom))
        or (isinstance(node, ast.Call) and getattr(node.func, "attr", "") not in _OPERATIONS)
        for node in ast.walk(value)
    )


def with_functions(code: CodeType, functions: list[Callable[..., Any]]) -> CodeType:
    """The code with functions in place of the placeholders, also in the code inside it."""

    def replaced(constant: Any) -> Any:
        if isinstance(constant, CodeType):
            return with_functions(constant, functions)
        if isinstance(constant, str) and constant.startswith(PLACEHOLDER):
            return functions[int(constant[len(PLACEHOLDER) :])]
        return constant

    return code.replace(co_consts=tuple(map(replaced, code.co_consts)))
