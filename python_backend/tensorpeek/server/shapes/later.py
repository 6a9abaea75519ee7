"""Puts off what an edit need not wait for: texts are edited many times before anybody looks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

SECONDS = 0.15


class Later:
    """Calls a function for each text that was changed, once it was left alone for a moment."""

    def __init__(self, function: Callable[[str], None]) -> None:
        self._function = function
        self._waiting: dict[str, asyncio.TimerHandle] = {}

    def __call__(self, uri: str) -> None:
        if (before := self._waiting.pop(uri, None)) is not None:
            before.cancel()
        self._waiting[uri] = asyncio.get_running_loop().call_later(SECONDS, self._now, uri)

    def _now(self, uri: str) -> None:
        self._waiting.pop(uri, None)
        self._function(uri)
