"""A feature of the probe: commands of its own, and what it puts into pydevd."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Callable

Command = Callable[[Any], Any]
"""Takes the arguments of a command as they came from JSON, and returns the body of the reply."""


class Feature:
    """`entry` names all of them. A method that is not overridden does nothing."""

    def commands(self) -> Mapping[str, Command]:
        """By name."""
        return {}

    def register(self) -> None:
        """Called once, in the debuggee, after the probe was loaded and pydevd is known to be usable."""

    def release(self) -> None:
        """The debugger leaves, and the program may run on: nothing must stop it now. May be called again."""
