"""Attributes of torch and of Python that are wrapped while a program is measured, and put back after it."""

from __future__ import annotations

import functools
from typing import Any, Callable


class Replacements:
    def __init__(self) -> None:
        self._removers: list[Callable[[], None]] = []
        self.are_in = False

    def replace(self, owner: Any, name: str, wrapper: Callable[..., Any]) -> None:
        """Puts `wrapper(original, *arguments)` in the place of an attribute; where there is none, nothing."""
        original = getattr(owner, name, None)
        if original is None:
            return

        @functools.wraps(original)
        def replacement(*args: Any, **kwargs: Any) -> Any:
            return wrapper(original, *args, **kwargs) if self.are_in else original(*args, **kwargs)

        self.put(owner, name, replacement)

    def put(self, owner: Any, name: str, replacement: Any) -> None:
        """Puts a function of ours in the place of an attribute, which it calls itself."""
        is_own = name in vars(owner)
        original = getattr(owner, name)

        def remove() -> None:
            # Who has wrapped ours meanwhile keeps it; it then only passes on.
            if getattr(owner, name) is not replacement:
                return
            if is_own:
                setattr(owner, name, original)
            else:
                delattr(owner, name)

        setattr(owner, name, replacement)
        self.are_in = True
        self._removers.append(remove)

    def on_removal(self, remove: Callable[[], None]) -> None:
        self._removers.append(remove)

    def remove(self) -> None:
        self.are_in = False
        for remove in reversed(self._removers):
            remove()
        self._removers.clear()
