"""A dimension that is taken for the classes of a loss and is none."""

from __future__ import annotations

from tensorpeek.probe.shape_faults.dimension_groups import Shape

CLASSES = 1
"""The dimension in which torch's losses expect the classes."""


def taken_for_classes(shape: Shape, dimension: int) -> str:
    """What a softmax over `dimension`, from 0, runs over instead of the classes of a loss; or nothing."""
    # A table with as many rows as columns may be one of pairs, where either way is meant.
    if len(shape) < 2 or dimension == CLASSES or shape[dimension] == shape[CLASSES]:
        return ""
    return "samples" if dimension == 0 else "positions"
