"""The statements of the user's function that lead from the first call of the model to the backward pass."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType
from typing import NamedTuple

from tensorpeek.probe.replay.names import read_first, written
from tensorpeek.probe.replay.source import Function, function_of, lines_of, own_nodes

_LOOPS = (ast.For, ast.AsyncFor, ast.While)


class Spot(NamedTuple):
    """A statement in the list of statements that it belongs to."""

    body: list[ast.stmt]
    position: int

    @property
    def statement(self) -> ast.stmt:
        return self.body[self.position]


@dataclass(frozen=True)
class Region:
    """Consecutive statements of one body, and what they stand in."""

    statements: list[ast.stmt]
    path: list[Spot]
    """From the function's own body to the first of the statements."""

    def covers(self, line: int) -> bool:
        return any(_is_in(statement, line) for statement in self.statements)

    @property
    def reads(self) -> list[str]:
        return read_first(self.statements)

    def withs(self) -> list[ast.withitem]:
        """The context managers that the statements stand in, the outermost first."""
        around = [spot.statement for spot in self.path[:-1]]
        return [item for node in around if isinstance(node, (ast.With, ast.AsyncWith)) for item in node.items]

    def maker_of(self, name: str) -> ast.stmt | None:
        """The last statement above that gave the name its value; a `for` above whose variable it is."""
        for spot in reversed(self.path):
            for statement in reversed(spot.body[: spot.position]):
                if name in written([statement]):
                    return statement
            around = _around(self.path, spot)
            if isinstance(around, (ast.For, ast.AsyncFor)) and name in _bound_by(around.target):
                return around
        return None


def region(function: Function, first: int, last: int) -> Region | None:
    """From the statement at line `first` to the one at `last`, in the innermost body that holds both."""
    start, end = path_to(function.body, first), path_to(function.body, last)
    if not start or not end:
        return None
    depth = 0
    while depth + 1 < min(len(start), len(end)) and start[depth + 1].body is end[depth + 1].body:
        depth += 1
    body, position = start[depth]
    stop = end[depth].position
    if stop < position:
        # The backward pass is at the top of a loop's body, for what its end has computed.
        stop = len(body) - 1
    return Region(body[position : stop + 1], start[: depth + 1])


def region_to_backward(function: Function, first: int) -> Region | None:
    """From the statement at line `first` to the next, in its body or an outer one, that calls backward."""
    path = path_to(function.body, first)
    for depth in range(len(path) - 1, -1, -1):
        body, position = path[depth]
        is_innermost = depth == len(path) - 1
        for stop in range(position if is_innermost else position + 1, len(body)):
            if calls_backward(body[stop]):
                return Region(body[position : stop + 1], path[: depth + 1])
        is_in_loop = depth > 0 and isinstance(path[depth - 1].statement, _LOOPS)
        if is_in_loop and any(calls_backward(statement) for statement in body[:position]):
            return Region(body[position:], path[: depth + 1])
    return None


def calls_backward(statement: ast.AST) -> bool:
    return any(
        "backward" in _name(node.func).lower() for node in own_nodes(statement) if isinstance(node, ast.Call)
    )


@lru_cache(maxsize=1024)
def names_to_keep(code: CodeType, line: int) -> tuple[str, ...]:
    """The names that will be needed to run a step of this function again, from the call of a model at `line`.

    Those which the statements up to the backward call read before they overwrite them. Where the function
    itself does not call backward, it is called again as a whole, and needs its parameters.
    """
    function = function_of(code)
    if function is None:
        return ()
    found = region_to_backward(function, line)
    if found is not None:
        overwritten = written(found.statements)
        return tuple(name for name in found.reads if name in overwritten)
    return () if function.is_coroutine else function.parameters


def path_to(body: list[ast.stmt], line: int) -> list[Spot]:
    """From the body inwards to the innermost statement at that line; empty where there is none."""
    path: list[Spot] = []
    inner: list[ast.stmt] | None = body
    while inner is not None:
        spot = next((Spot(inner, i) for i, statement in enumerate(inner) if _is_in(statement, line)), None)
        if spot is None:
            break
        path.append(spot)
        inner = next((block for block in _blocks(spot.statement) if _holds(block, line)), None)
    return path


def _blocks(statement: ast.AST) -> Iterator[list[ast.stmt]]:
    """The bodies of a compound statement that run as part of the function."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return
    for _, value in ast.iter_fields(statement):
        if isinstance(value, list) and value:
            if isinstance(value[0], ast.stmt):
                yield value
            elif isinstance(value[0], ast.excepthandler) or type(value[0]).__name__ == "match_case":
                for part in value:
                    yield from _blocks(part)


def _holds(block: list[ast.stmt], line: int) -> bool:
    return lines_of(block[0])[0] <= line <= lines_of(block[-1])[1]


def _is_in(statement: ast.stmt, line: int) -> bool:
    first, last = lines_of(statement)
    return first <= line <= last


def _around(path: list[Spot], spot: Spot) -> ast.stmt | None:
    """The compound statement in whose body the spot is."""
    depth = path.index(spot)
    return path[depth - 1].statement if depth else None


def _bound_by(target: ast.expr) -> set[str]:
    return {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}


def _name(called: ast.expr) -> str:
    if isinstance(called, ast.Attribute):
        return called.attr
    return called.id if isinstance(called, ast.Name) else ""
