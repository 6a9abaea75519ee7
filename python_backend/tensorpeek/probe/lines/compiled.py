"""A condition or log message as code, in which each call of `tp` is a function of its own.

`tp` is not put into anybody's namespace: the functions are constants of the code. The program's own `tp` goes
first where it has what is asked of it.
"""

from __future__ import annotations

import ast
from types import CodeType
from typing import Any, Callable

from tensorpeek.catalogue.functions import BY_NAME
from tensorpeek.catalogue.line_condition import TP, is_used
from tensorpeek.probe import raw
from tensorpeek.probe.lines.hits import Hits
from tensorpeek.probe.lines.tp import function
from tensorpeek.probe.quiet import ignored_warnings

PLACEHOLDER = "\0tensorpeek "
"""Begins a constant that is to become a function; no text of a user's contains it."""


class Compiled:
    """An expression of the user's, to be evaluated in many frames. Raises SyntaxError where it is none."""

    def __init__(self, text: str, hits: Hits) -> None:
        with ignored_warnings():
            tree = ast.parse(text.strip(), mode="eval")
            self._has_scopes = any(isinstance(node, _SCOPES) for node in ast.walk(tree))
            """Whether it has functions of its own, which Python lets see global names only."""
            self._plain = compile(tree, "<condition>", "eval")
            self.uses_tp = is_used(tree)
            self._names: set[str] = set()
            self._code = self._plain
            if self.uses_tp:
                replacing = _Replacing(hits)
                replaced = ast.fix_missing_locations(replacing.visit(tree))
                self._names = {name for name, _ in replacing.functions}
                functions = [made for _, made in replacing.functions]
                self._code = with_functions(compile(replaced, "<condition>", "eval"), functions)

    def evaluate(self, global_names: dict[str, Any], local_names: Any) -> Any:
        """Raises whatever the expression raises."""
        code = self._code
        if (
            self.uses_tp
            and (TP in local_names or TP in global_names)
            and self._means_users(local_names[TP] if TP in local_names else global_names[TP])
        ):
            code = self._plain
        if self._has_scopes:
            return eval(code, {**global_names, **local_names})  # noqa: S307 - the user's own text
        return eval(code, global_names, local_names)  # noqa: S307 - as above

    def _means_users(self, own: Any) -> bool:
        """Whether the program's own `tp` has one of the attributes that are asked for."""
        return any(raw.attribute(own, name) is not raw.MISSING for name in self._names)


_SCOPES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class _Replacing(ast.NodeTransformer):
    """Puts a placeholder wherever a function of `tp` stands."""

    def __init__(self, hits: Hits) -> None:
        self._hits = hits
        self.functions: list[tuple[str, Callable[..., Any]]] = []

    def visit_Call(self, node: ast.Call) -> ast.AST:
        argument = ", ".join(map(ast.unparse, node.args))
        node.func = self._replaced(node.func, argument) if self._is_ours(node.func) else self.visit(node.func)
        node.args = [self.visit(value) for value in node.args]
        node.keywords = [self.visit(value) for value in node.keywords]
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        return self._replaced(node, "") if self._is_ours(node) else self.generic_visit(node)

    def _is_ours(self, node: ast.AST) -> bool:
        if not isinstance(node, ast.Attribute) or node.attr not in BY_NAME:
            return False
        return isinstance(node.value, ast.Name) and node.value.id == TP

    def _replaced(self, node: Any, argument: str) -> Any:
        name = node.attr
        info = BY_NAME[name]
        if not (info.arguments and info.arguments[0].many):
            argument = argument.partition(",")[0]
        self.functions.append((name, function(name, argument, self._hits)))
        return ast.copy_location(ast.Constant(f"{PLACEHOLDER}{len(self.functions) - 1}"), node)


def with_functions(code: CodeType, functions: list[Callable[..., Any]]) -> CodeType:
    """The code with functions in place of the placeholders, also in the code inside it."""

    def replaced(constant: Any) -> Any:
        if isinstance(constant, CodeType):
            return with_functions(constant, functions)
        if isinstance(constant, str) and constant.startswith(PLACEHOLDER):
            return functions[int(constant[len(PLACEHOLDER) :])]
        return constant

    return code.replace(co_consts=tuple(map(replaced, code.co_consts)))
