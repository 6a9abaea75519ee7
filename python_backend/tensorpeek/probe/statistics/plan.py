"""In which pieces a strided memory is read: every distinct element once, in dense blocks, spread evenly."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

Index = tuple[object, ...]
GOLDEN_RATIO = 0.6180339887498949


class Walk(NamedTuple):
    """The dimensions of a strided memory in the order of the memory, with nothing read twice."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    repeats: int
    """How many elements each element read stands for: the product of the expanded dimensions."""


def walk(shape: Sequence[int], strides: Sequence[int]) -> Walk:
    """Drops expanded dimensions, sorts the others by stride and joins those that are dense together.

    A transposed or channels-last memory is then as dense as it really is. Strides may be in any unit, and negative
    (numpy has such views).
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


class Blocks:
    """Numbered blocks of at most `limit` elements that cover a shape; block 0 holds the first element."""

    __slots__ = ("_axis", "_rows", "_shape", "_steps", "count")

    def __init__(self, shape: tuple[int, ...], limit: int) -> None:
        self._shape = shape
        inner = 1
        axis = len(shape) - 1
        while axis > 0 and inner * shape[axis] <= limit:
            inner *= shape[axis]
            axis -= 1
        self._axis = axis
        self._rows = max(1, limit // inner)
        self._steps = -(-shape[axis] // self._rows)
        self.count = math.prod(shape[:axis]) * self._steps

    def index(self, block: int) -> Index:
        """What to subscript an array of the shape with, to get the block."""
        block, step = divmod(block, self._steps)
        index: list[object] = [slice(step * self._rows, (step + 1) * self._rows)]
        for size in reversed(self._shape[: self._axis]):
            block, position = divmod(block, size)
            index.append(position)
        index.reverse()
        return tuple(index)


def golden_step(count: int) -> int:
    """A step that, repeated modulo `count`, visits every number below it once and any few of them spread evenly."""
    step = max(1, round(count * GOLDEN_RATIO))
    while math.gcd(step, count) != 1:
        step += 1
    return step
