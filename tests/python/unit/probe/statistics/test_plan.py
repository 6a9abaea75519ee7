"""Blocks cover every number once."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensorpeek.probe.statistics.plan import Blocks, Walk, golden_step, walk


@pytest.mark.parametrize(
    ("shape", "strides", "expected"),
    [
        ((3, 4), (4, 1), Walk((12,), (1,), 1)),
        ((4, 3), (1, 4), Walk((12,), (1,), 1)),
        ((2, 3, 4), (12, 1, 3), Walk((24,), (1,), 1)),
        ((5, 3, 4), (0, 4, 1), Walk((12,), (1,), 5)),
        ((3, 2), (8, 2), Walk((3, 2), (8, 2), 1)),
        ((3, 4), (8, 2), Walk((12,), (2,), 1)),
        ((1, 1), (7, 9), Walk((1,), (0,), 1)),
        ((), (), Walk((1,), (0,), 1)),
        ((6, 6), (0, 0), Walk((1,), (0,), 36)),
    ],
)
def test_walk(shape: tuple[int, ...], strides: tuple[int, ...], expected: Walk) -> None:
    assert walk(shape, strides) == expected


@given(shape=st.lists(st.integers(1, 7), min_size=1, max_size=4), limit=st.integers(1, 60))
def test_blocks_cover_all(shape: list[int], limit: int) -> None:
    array = np.arange(math.prod(shape)).reshape(shape)
    strides = tuple(stride // array.itemsize for stride in array.strides)
    blocks = Blocks(Walk(tuple(shape), strides, 1), limit)
    found = []
    for number in range(blocks.count):
        region = blocks.region(number)
        block = array[region.subscript]
        assert block.shape == region.shape
        assert block.size <= limit
        assert block.flat[0] == region.origin
        found.extend(block.flatten().tolist())
    assert sorted(found) == list(range(array.size))


@given(count=st.integers(1, 5000))
def test_golden_order_visits_all(count: int) -> None:
    step = golden_step(count)
    assert len({number * step % count for number in range(count)}) == count
