"""The places of the first few NaN and infinities, whatever order the blocks are read in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tensorpeek.probe.statistics.accumulator import NAN, NEGATIVE_INFINITE, POSITIVE_INFINITE, Index

if TYPE_CHECKING:
    from tensorpeek.probe.statistics.plan import Region
    from tensorpeek.probe.statistics.reader import Reader

FIRST = 4
"""How many places are kept of each."""
SLICE = 8192
"""Places reckoned with at once, since they are integers of 8 bytes."""


class Offenders:
    """Keeps the smallest flat indices of each kind; blocks that cannot hold a smaller one cost nothing."""

    def __init__(self, shape: Sequence[int], strides: Sequence[int]) -> None:
        self._shape = tuple(shape)
        self._first: dict[str, list[int]] = {NAN: [], POSITIVE_INFINITE: [], NEGATIVE_INFINITE: []}
        flat_strides: list[int] = []
        flat = 1
        for size in reversed(self._shape):
            flat_strides.append(flat)
            flat *= size
        flat_strides.reverse()
        # From a distance in memory back to a flat index: the dimension of the longest stride first. A
        # reversed dimension is counted from its far end, which lies lowest.
        self._dimensions: list[tuple[int, int, int]] = []
        self._lowest = self._base = 0
        self._reversed = False
        for size, stride, flat in zip(self._shape, strides, flat_strides):
            if size > 1 and stride > 0:
                self._dimensions.append((stride, flat, size))
            elif size > 1 and stride < 0:
                self._dimensions.append((-stride, -flat, size))
                self._lowest += (size - 1) * -stride
                self._base += (size - 1) * flat
                self._reversed = True
        self._dimensions.sort(key=lambda dimension: dimension[0], reverse=True)
        self._expanded = [
            (size, flat)
            for size, stride, flat in zip(self._shape, strides, flat_strides)
            if size > 1 and not stride
        ]

    def _flat(self, distance: Any) -> Any:
        """The flat index of what lies that many elements after the first one; a number or an array of
        them."""
        distance = distance + self._lowest
        flat = distance * 0 + self._base
        for stride, step, _ in self._dimensions:
            # A sum of products, since `divmod` of an array makes twice the temporaries.
            position = distance // stride
            flat = flat + position * step
            distance = distance - position * stride
        return flat

    def _least(self, region: Region) -> int:
        """No flat index in the block is less."""
        if self._reversed:
            return 0
        first = last = region.origin
        for size, stride in zip(region.shape, region.strides):
            last += (size - 1) * stride
        least = 0
        for stride, step, size in self._dimensions:
            position = first // stride % size
            if position + last // stride - first // stride < size:
                least += position * step
        return least

    def visit(self, region: Region, reader: Reader) -> None:
        """Looks through a block with offenders."""
        least = self._least(region)
        if all(len(first) == FIRST and least >= first[-1] for first in self._first.values()):
            return
        for kind, positions in reader.offending(region):
            first = self._first[kind]
            if len(first) == FIRST and least >= first[-1]:
                continue
            for start in range(0, len(positions), SLICE):
                flat = self._flat(_distances(positions[start : start + SLICE], region))
                first[:] = sorted(first + reader.smallest(flat, FIRST))[:FIRST]

    def indices(self) -> dict[str, list[Index]]:
        """The places found, by kind, as indices into the whole shape; kinds without any are left out."""
        return {
            kind: [unflatten(flat, self._shape) for flat in self._with_repeats(first)]
            for kind, first in self._first.items()
            if first
        }

    def _with_repeats(self, first: list[int]) -> list[int]:
        """The first places, those seen again through expanded dimensions included."""
        flats = first
        for size, step in self._expanded:
            flats = sorted(flat + i * step for flat in flats for i in range(min(size, FIRST)))[:FIRST]
        return flats


def _distances(positions: Any, region: Region) -> Any:
    """How far in memory the numbers at some positions of a block are from the walk's first."""
    distances = region.origin
    for size, stride in zip(reversed(region.shape), reversed(region.strides)):
        rows = positions // size
        distances = distances + (positions - rows * size) * stride
        positions = rows
    return distances


def unflatten(flat: int, shape: Sequence[int]) -> Index:
    """The index into a shape of its `flat`-th element."""
    index: list[int] = []
    for size in reversed(shape):
        flat, position = divmod(flat, size)
        index.append(position)
    return tuple(reversed(index))
