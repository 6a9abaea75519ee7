"""The static half of a function of `tp`, the object that line conditions and log messages may call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Result = Literal["truth", "number", "shape", "text"]
"""What a function gives: `truth` is a condition by itself, the others are to be compared or logged."""


@dataclass(frozen=True)
class Argument:
    """A value of the program, or a number that the user may change."""

    name: str
    help: str
    default: float | None = None
    """None where it has to be given."""
    least: float | None = None
    """The smallest number that makes sense."""
    most: int | None = None
    """The largest one, where more would be remembered than is good for the program."""
    is_value: bool = False
    """A tensor, number, array, list or module of the program's, and not a setting."""
    many: bool = False
    """Any number of them, at least one."""
    is_whole: bool = False


@dataclass(frozen=True)
class FunctionInfo:
    """Documented here once: for hover, README, menu, completion and errors."""

    name: str
    result: Result
    arguments: tuple[Argument, ...]
    help: str
    """One to three sentences."""
    phrase: str
    """What holds, or what the number is, with `{argument}` in it: after “Stops when”."""
    example: str
    label: str = ""
    """In the menu Add Training Breakpoint; empty for what has no entry there."""
    template: str = ""
    """The condition of that entry, with `{name}` and the names of its settings."""

    @property
    def settings(self) -> tuple[Argument, ...]:
        return tuple(argument for argument in self.arguments if not argument.is_value)

    @property
    def signature(self) -> str:
        """As in `tp.spike(x, factor=8, window=50, warmup=20)`."""
        parts = [
            f"*{argument.name}"
            if argument.many
            else argument.name
            if argument.default is None
            else f"{argument.name}={argument.default:g}"
            for argument in self.arguments
        ]
        return f"tp.{self.name}({', '.join(parts)})"
