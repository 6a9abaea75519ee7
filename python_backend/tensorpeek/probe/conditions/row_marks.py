"""A number for each row of a batch, by which equal rows are known without being kept."""

from __future__ import annotations

import sys
from typing import Any

from tensorpeek.probe.training.device_values import is_at_hand

MOST_COLUMNS = 2048
"""Of a wider row, elements at equal distances stand for all."""
MOST_ROWS = 4096
FEWEST_COLUMNS = 4
"""Shorter rows are equal by chance."""
WIDE = 64
SAMPLE = 4096
"""Numbers that stand for all of a batch."""
OWN = 0.9
WEIGHT = 0x9E3779B97F4A7C15 - 2**64
"""The golden ratio of 64 bits: its multiples are spread evenly."""


def marks_of(tensor: Any) -> list[int] | None:
    """One for each row, equal for rows with the same bits in the same order; None for what has no rows of
    numbers at hand.

    Sums of whole numbers don't depend on their order, as those of floats would.
    """
    torch = sys.modules["torch"]
    if type(tensor) is not torch.Tensor or tensor.layout is not torch.strided or tensor.is_meta:
        return None
    if tensor.dim() < 2 or not is_at_hand(tensor) or tensor.is_complex() or tensor.is_quantized:
        return None
    if not 1 <= tensor.shape[0] <= MOST_ROWS or tensor[0].numel() < FEWEST_COLUMNS:
        return None
    rows = tensor.detach().reshape(tensor.shape[0], -1)
    step = -(-rows.shape[1] // MOST_COLUMNS)
    rows = rows[:, ::step].contiguous()
    if rows.is_floating_point():
        bits = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
        rows = rows.view(bits[rows.element_size()])
    weights = torch.arange(1, rows.shape[1] + 1, dtype=torch.int64) * WEIGHT
    weights ^= weights >> 29
    marks: list[int] = (rows.to(torch.int64) * (weights | 1)).sum(1).tolist()
    return marks


def are_individual(tensor: Any) -> bool:
    """Whether rows of this kind are not equal by chance: many numbers, or numbers of many values."""
    if not tensor.is_floating_point() and tensor.dtype is not sys.modules["torch"].uint8:
        return False
    width = tensor[0].numel()
    return width >= WIDE or _variety(tensor) >= max(2 * min(tensor.shape[0], SAMPLE // width), 16)


def are_measured(tensor: Any) -> bool:
    """Whether nearly each number is one of its own: then equal rows are one row, never two alike."""
    return tensor.is_floating_point() and _variety(tensor) >= OWN * min(tensor.numel(), SAMPLE)


def _variety(tensor: Any) -> int:
    """How many different numbers are among the first ones."""
    return len(tensor.detach().reshape(-1)[:SAMPLE].unique())
