"""What an expression of a traced text was, where there is no doubt which binding of a name it had."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from tensorpeek.server.shapes.statements import blocks
from tensorpeek.server.shapes.store import Shown, span_of
from tensorpeek.server.shapes.text import Traced

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


class Reaching:
    """Looks up in one traced text."""

    def __init__(self, shown: Shown) -> None:
        self._shown = shown
        self._around: dict[int, tuple[ast.stmt | None, list[ast.stmt]]] = {}
        """By the identity of a statement: the one that it is in, and the block that it is in."""
        for statement in shown.statements:
            for block in blocks(statement.node):
                self._around.update((id(each), (statement.node, block)) for each in block)

    def value(self, node: ast.expr, within: ast.stmt) -> Traced | None:
        """Of an expression of the statement `within`."""
        traced = self._shown.expressions.get(span_of(node))
        if traced is not None or not isinstance(node, ast.Name) or _hides(within, node.id):
            return traced
        return self.bound(node.id, within)

    def bound(self, name: str, within: ast.stmt) -> Traced | None:
        """What a name was, above a statement."""
        binding = self.binding(name, within)
        return self._shown.names.get(span_of(binding[0])) if binding is not None else None

    def binding(self, name: str, within: ast.stmt) -> tuple[ast.expr | ast.arg, ast.stmt] | None:
        """The target that gave a name the value it has there, with its statement; None where that varies."""
        around, block = self._around.get(id(within), (None, []))
        for before in reversed(block[: _index(block, within)]):
            if isinstance(before, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
                targets = before.targets if isinstance(before, ast.Assign) else [before.target]
                found = next((each for each in _names(targets) if each.id == name), None)
                if found is not None:
                    return found, before
            if _binds(before, name):
                return None
        argument = _argument(around, name) if isinstance(around, _FUNCTIONS) else None
        return (argument, around) if argument is not None and around is not None else None

    def is_in_loop(self, within: ast.stmt) -> bool:
        """Within its function."""
        around: ast.stmt | None = within
        while around is not None and not isinstance(around, _FUNCTIONS):
            if isinstance(around, _LOOPS):
                return True
            around = self._around.get(id(around), (None, []))[0]
        return False


def _names(targets: Sequence[ast.expr]) -> Iterator[ast.Name]:
    for target in targets:
        if isinstance(target, ast.Name):
            yield target
        elif isinstance(target, (ast.Tuple, ast.List)):
            yield from _names(target.elts)


def _index(block: Sequence[ast.stmt], node: ast.stmt) -> int:
    return next((at for at, each in enumerate(block) if each is node), 0)


def _binds(node: ast.stmt, name: str) -> bool:
    """Whether a statement may give a name another value."""
    return any(
        (isinstance(each, ast.Name) and each.id == name and not isinstance(each.ctx, ast.Load))
        or name in (getattr(each, "name", None), getattr(each, "rest", None))
        or (isinstance(each, ast.alias) and name == (each.asname or each.name.partition(".")[0]))
        or (isinstance(each, (ast.Global, ast.Nonlocal)) and name in each.names)
        for each in ast.walk(node)
    )


def _hides(node: ast.stmt, name: str) -> bool:
    """Whether an expression in a statement has a name of its own that is called so."""
    for each in ast.walk(node):
        if isinstance(each, (ast.Lambda, ast.NamedExpr, ast.comprehension)) and any(
            name in (getattr(inner, "id", None), getattr(inner, "arg", None))
            for inner in ast.walk(each.args if isinstance(each, ast.Lambda) else each.target)
        ):
            return True
    return False


def _argument(function: ast.stmt, name: str) -> ast.arg | None:
    if not isinstance(function, _FUNCTIONS):
        return None
    given = function.args
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    return next((each for each in every if each.arg == name), None)
