"""Gives the functions of files another code, and gives them their own back."""

from __future__ import annotations

import gc
import threading
from types import CodeType, FunctionType
from typing import Callable

_BUSY = threading.Lock()


class Swap:
    """One at a time in a process."""

    def __init__(self) -> None:
        self._own: list[tuple[FunctionType, CodeType]] = []

    def begin(self, new_code: Callable[[FunctionType], CodeType | None]) -> None:
        """Asks for the new code of every function that is alive. Raises RuntimeError during another one."""
        if not _BUSY.acquire(blocking=False):
            raise RuntimeError("another pass is being traced")
        try:
            for function in live_functions():
                own = function.__code__
                code = new_code(function)
                if code is not None and code.co_freevars == own.co_freevars:
                    function.__code__ = code
                    self._own.append((function, own))
        except BaseException:
            self.end()
            raise

    def end(self) -> None:
        for function, code in self._own:
            function.__code__ = code
        self._own.clear()
        _BUSY.release()


def live_functions() -> list[FunctionType]:
    """Of modules, classes, decorators' cells and closures: whatever the collector knows."""
    return [value for value in gc.get_objects() if type(value) is FunctionType]
