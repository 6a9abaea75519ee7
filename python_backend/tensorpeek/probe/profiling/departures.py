"""The ways in which a program leaves without Python's own end: what was seen is written before."""

from __future__ import annotations

import os
from typing import Any, Callable

from tensorpeek.probe.profiling.replacements import Replacements


class Departures:
    """Calls back before `os._exit` and before another program takes this process over."""

    def __init__(self, leaving: Callable[[], None]) -> None:
        self._leaving = leaving
        self._replacements = Replacements()

    def watch(self) -> None:
        for name in ("_exit", "execv", "execve"):
            self._replacements.replace(os, name, self._leave)

    def stop(self) -> None:
        self._replacements.remove()

    def _leave(self, original: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        self._leaving()
        return original(*args, **kwargs)
