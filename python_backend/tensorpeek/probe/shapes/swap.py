"""Gives the functions of files another code, and gives them their own back."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterable, Iterator
from types import CodeType, FunctionType
from typing import Any, Callable

from tensorpeek.probe.raw import attributes, derives

_BUSY = threading.Lock()
DEEPEST = 6
"""Wrappers around a function that are looked through."""


class Swap:
    """One at a time in a process."""

    def __init__(self) -> None:
        self._swapped: list[tuple[FunctionType, CodeType, CodeType]] = []
        """Each with its own code and the other."""

    def begin(
        self, functions: Iterable[FunctionType], new_code: Callable[[FunctionType], CodeType | None]
    ) -> None:
        """Asks for the new code of each of the functions. Raises RuntimeError during another one."""
        if not _BUSY.acquire(blocking=False):
            raise RuntimeError("another pass is being traced")
        try:
            for function in functions:
                own = function.__code__
                code = new_code(function)
                if code is not None and code.co_freevars == own.co_freevars:
                    self._swapped.append((function, own, code))
                    function.__code__ = code
        except BaseException:
            self.end()
            raise

    def end(self) -> None:
        try:
            for function, own, other in self._swapped:
                # What the program has given a function meanwhile stays.
                if function.__code__ is other:
                    function.__code__ = own
        finally:
            self._swapped.clear()
            _BUSY.release()


def restore(born: dict[int, CodeType]) -> None:
    """Gives functions that were made meanwhile their own code, by the address of the other."""
    for function in live_functions():
        own = born.get(id(function.__code__))
        if own is not None:
            function.__code__ = own


def live_functions() -> list[FunctionType]:
    """Of modules, classes, decorators' cells and closures: whatever the collector knows."""
    found = [value for value in gc.get_objects() if type(value) is FunctionType]
    if gc.get_freeze_count():
        # The collector doesn't tell of what `gc.freeze` has put aside.
        known = set(map(id, found))
        for function in _reachable():
            if id(function) not in known:
                known.add(id(function))
                found.append(function)
    return found


def _reachable() -> Iterator[FunctionType]:
    for module in list(sys.modules.values()):
        for value in list(attributes(module).values()):
            yield from within(value)
            if derives(value, type):
                for member in list(type.__getattribute__(value, "__dict__").values()):
                    yield from within(member)


def within(value: Any, depth: int = 0) -> Iterator[FunctionType]:
    """The functions in what stands for one: wrappers with what they wrap, methods of classes, properties."""
    if depth > DEEPEST:
        return
    if type(value) is FunctionType:
        yield value
        parts = [value.__dict__.get("__wrapped__")]
        for cell in value.__closure__ or ():
            try:
                parts.append(cell.cell_contents)
            except ValueError:  # noqa: PERF203 - the cell is empty
                pass
    elif type(value) in (staticmethod, classmethod):
        parts = [value.__func__]
    elif type(value) is property:
        parts = [value.fget, value.fset, value.fdel]
    else:
        return
    for part in parts:
        yield from within(part, depth + 1)
