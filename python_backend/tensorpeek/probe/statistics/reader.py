"""What a scan needs to know of the memory it reads; numpy and torch each have a reader."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, Protocol

from tensorpeek.probe.statistics.accumulator import Accumulator
from tensorpeek.probe.statistics.plan import Region, Walk
from tensorpeek.probe.tensors.dtypes import ElementType


class Numbers(NamedTuple):
    """The real numbers to be read: elements, or the parts of complex ones. Strides count numbers."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    size: int
    dense: bool
    element: ElementType
    negated: bool = False
    """The memory holds the opposite of every number."""
    conjugated: bool = False
    """The memory holds the opposite of every second number."""


class Reader(Protocol):
    """Reads blocks of numbers, between `begin` and `end`."""

    block: int
    """The most numbers in a block."""

    def begin(self, walk: Walk) -> bool:
        """Makes ready to read; False when the memory is gone or has moved."""
        ...

    def end(self) -> None:
        """Lets go of what `begin` took."""
        ...

    def add(self, region: Region, into: Accumulator) -> None:
        """Merges the numbers of a block."""
        ...

    def add_sample(self, stride: int, into: Accumulator) -> None:
        """Merges single numbers of a one-dimensional memory, `stride` apart and one block at most."""
        ...

    def offending(self, region: Region) -> Iterable[tuple[str, Any]]:
        """The kinds of numbers in a block that are not finite, and where: an array of positions, none
        empty."""
        ...

    def smallest(self, positions: Any, count: int) -> list[int]:
        """The smallest of an array of positions, sorted."""
        ...

    def histogram(self, region: Region, bins: int, low: float, high: float) -> list[int]:
        """How many numbers of a block lie in each of `bins` equal parts of a range."""
        ...
