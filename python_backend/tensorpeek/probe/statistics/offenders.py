"""The places of the first few NaN and infinities, whatever order the blocks are read in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorpeek.probe.statistics.accumulator import NAN, NEGATIVE_INFINITE, POSITIVE_INFINITE, Index

FIRST = 4
"""How many places are kept of each."""


class Offenders:
    """Keeps the smallest flat indices per kind of offender; blocks that cannot hold a smaller one cost nothing."""

    def __init__(self, shape: Sequence[int], strides: Sequence[int]) -> None:
        self._shape = tuple(shape)
        self._first: dict[str, list[int]] = {NAN: [], POSITIVE_INFINITE: [], NEGATIVE_INFINITE: []}
        flat_strides: list[int] = []
        flat = 1
        for size in reversed(self._shape):
            flat_strides.append(flat)
            flat *= size
        flat_strides.reverse()
        # From a distance in memory back to a flat index: the dimension of the longest stride first.
        self._dimensions: list[tuple[int, int, int]] = sorted(
            (
                (stride, size, flat)
                for size, stride, flat in zip(self._shape, strides, flat_strides)
                if size > 1 and stride
            ),
            reverse=True,
        )
        self._expanded = [
            (size, flat)
            for size, stride, flat in zip(self._shape, strides, flat_strides)
            if size > 1 and not stride
        ]

    def _flat(self, distance: Any) -> Any:
        """The flat index of what lies that many elements after the first one; a number or an array of them."""
        flat = distance * 0
        for stride, size, step in self._dimensions:
            # A sum of products, since `divmod` of an array makes twice the temporaries.
            position = distance // stride
            flat = flat + position * step
            distance = distance - position * stride
        return flat

    def visit(self, np: Any, values: Any, origin: int, shape: Sequence[int], strides: Sequence[int]) -> None:
        """Looks through a block with offenders.

        `values` are its floats in the order of memory, `origin` the distance of the first, `shape` and `strides`
        those of the block.
        """
        start = self._flat(origin)
        masks = ((NAN, np.isnan), (POSITIVE_INFINITE, np.isposinf), (NEGATIVE_INFINITE, np.isneginf))
        for kind, test in masks:
            first = self._first[kind]
            if len(first) == FIRST and start >= first[-1]:
                continue
            places = np.flatnonzero(test(values))
            if not places.size:
                continue
            distances = origin
            for position, stride in zip(np.unravel_index(places, shape), strides):
                distances = distances + position * stride
            flat = self._flat(distances)
            if flat.size > FIRST:
                flat = np.partition(flat, FIRST - 1)[:FIRST]
            first[:] = sorted(first + flat.tolist())[:FIRST]

    def indices(self) -> dict[str, list[Index]]:
        """The places found, by kind, as indices into the whole shape; kinds without any are left out."""
        return {
            kind: [self._index(flat) for flat in self._with_repeats(first)]
            for kind, first in self._first.items()
            if first
        }

    def _with_repeats(self, first: list[int]) -> list[int]:
        """The first places, those seen again through expanded dimensions included."""
        flats = first
        for size, step in self._expanded:
            flats = sorted(flat + i * step for flat in flats for i in range(min(size, FIRST)))[:FIRST]
        return flats

    def _index(self, flat: int) -> Index:
        index: list[int] = []
        for size in reversed(self._shape):
            flat, position = divmod(flat, size)
            index.append(position)
        return tuple(reversed(index))
