"""In which pieces a strided memory is read: every distinct element once, in dense blocks, spread evenly."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

GOLDEN_RATIO = 0.6180339887498949


class Walk(NamedTuple):
    """The dimensions of a strided memory in the order of the memory, expanded ones left out."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    repeats: int
    """How many numbers each number read stands for: the product of the expanded dimensions."""


def walk(shape: Sequence[int], strides: Sequence[int]) -> Walk:
    """Drops expanded dimensions, sorts the others by stride and joins those that are dense together.

    A transposed or channels-last memory is then as dense as it really is. Strides may be in any unit, and
    negative (numpy has such views).
    """
    repeats = 1
    dimensions: list[tuple[int, int]] = []
    for size, stride in zip(shape, strides):
        if size == 1:
            continue
        if stride == 0:
            repeats *= size
        else:
            dimensions.append((stride, size))
    dimensions.sort(key=lambda dimension: abs(dimension[0]), reverse=True)
    joined: list[tuple[int, int]] = []
    for stride, size in dimensions:
        if joined and joined[-1][0] == stride * size:
            joined[-1] = (stride, joined[-1][1] * size)
        else:
            joined.append((stride, size))
    if not joined:
        return Walk((1,), (0,), repeats)
    return Walk(tuple(size for _, size in joined), tuple(stride for stride, _ in joined), repeats)


class Region(NamedTuple):
    """A block of a walk."""

    subscript: tuple[Any, ...]
    """What to subscript an array of the walk's shape with."""
    shape: tuple[int, ...]
    origin: int
    """How far in memory the block's first number is from the walk's."""
    strides: tuple[int, ...]


class Blocks:
    """Numbered blocks of at most `limit` numbers that cover a walk; block 0 begins with its first number."""

    __slots__ = ("_axis", "_rows", "_steps", "_walk", "count")

    def __init__(self, walk: Walk, limit: int) -> None:
        shape = walk.shape
        inner = 1
        axis = len(shape) - 1
        while axis > 0 and inner * shape[axis] <= limit:
            inner *= shape[axis]
            axis -= 1
        self._walk = walk
        self._axis = axis
        self._rows = max(1, limit // inner)
        self._steps = -(-shape[axis] // self._rows)
        self.count = math.prod(shape[:axis]) * self._steps

    def region(self, block: int) -> Region:
        """Where the block lies."""
        shape, strides, _ = self._walk
        axis = self._axis
        rest, step = divmod(block, self._steps)
        start = step * self._rows
        stop = min(start + self._rows, shape[axis])
        index: list[Any] = [slice(start, stop)]
        origin = start * strides[axis]
        for dimension in range(axis - 1, -1, -1):
            rest, position = divmod(rest, shape[dimension])
            index.append(position)
            origin += position * strides[dimension]
        index.reverse()
        return Region(tuple(index), (stop - start, *shape[axis + 1 :]), origin, strides[axis:])


def golden_step(count: int) -> int:
    """A step that, repeated modulo `count`, visits every number below it once and any few of them spread
    evenly."""
    step = max(1, round(count * GOLDEN_RATIO))
    while math.gcd(step, count) != 1:
        step += 1
    return step
