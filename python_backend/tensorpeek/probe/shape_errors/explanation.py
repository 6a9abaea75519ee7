"""What a rule makes of a failed operation, and how shapes and numbers are written in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tensorpeek.probe.training.places import Place
from tensorpeek.probe.training.report import Related

NAMELESS = "its input"
"""The text of what a layer was given by a part of the model that the user's line does not name."""


class Operand(NamedTuple):
    """A tensor that takes part, by its text in the user's code or by what it is to a layer."""

    text: str
    value: Any
    """A tensor, of the program's or one without memory of the same shape."""

    @property
    def shape(self) -> list[int]:
        return shape_of(self.value)

    @property
    def named(self) -> str:
        """As in `x` [4, 3]."""
        return f"{self.text} {self.shape}" if self.text == NAMELESS else f"`{self.text}` {self.shape}"


@dataclass
class Explanation:
    title: str
    """At most 31 characters."""
    message: str
    next: list[str] = field(default_factory=list)
    operands: list[Operand] = field(default_factory=list)
    """Those whose origin is to be told."""
    evidence: list[str] = field(default_factory=list)
    related: list[Related] = field(default_factory=list)
    place: Place | None = None
    """The line, where it is not the innermost of the traceback."""


def shape_of(value: Any) -> list[int]:
    return [int(size) for size in value.shape]


def product(sizes: Iterable[int]) -> int:
    result = 1
    for size in sizes:
        result *= size
    return result


def times(sizes: Sequence[int]) -> str:
    """As in `32 × 6 × 6`."""
    return " × ".join(map(str, sizes))


def numbers(text: str) -> list[int]:
    """Of a list in an error's words, as in `2, 64, 3`."""
    return [int(part) for part in text.replace("x", ",").split(",") if part.strip().lstrip("-").isdigit()]


def attached(text: str, rest: str) -> str:
    """A method or subscript behind an expression, in brackets where it needs them."""
    if text == NAMELESS:
        return f"x{rest}"
    is_plain = text.replace(".", "").replace("_", "").isalnum() or text.endswith((")", "]"))
    is_call = is_plain and not text.startswith(("(", "[", "-", "~", "not "))
    return f"{text}{rest}" if is_call and not _has_operator(text) else f"({text}){rest}"


def _has_operator(text: str) -> bool:
    """Whether something stands between the outermost parts of an expression."""
    depth = 0
    for letter in text:
        depth += letter in "([{"
        depth -= letter in ")]}"
        if depth == 0 and letter in "+-*/@%|&^<>=~ ":
            return True
    return False
