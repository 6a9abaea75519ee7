"""Which sizes of a reshape come from which: whether whole dimensions are merged and split, or torn apart."""

from __future__ import annotations

import math

Shape = tuple[int, ...]


def is_merge_of(shape: Shape, result: Shape) -> bool:
    """Whether each size of the result is a product of whole neighbouring sizes, in their order."""
    return set(cuts(result)) <= set(cuts(shape)) and math.prod(shape) == math.prod(result)


def cuts(shape: Shape) -> list[int]:
    """How many elements lie behind each dimension's border, from the last one; the outermost first."""
    found = [1]
    for size in reversed(shape):
        found.append(found[-1] * size)
    return found[::-1]


def tears(shape: Shape, result: Shape) -> bool:
    """Whether a dimension is cut where no whole number of parts fits, or its parts go to two neighbours.

    A cut that leaves whole parts is an ordinary one: heads of features, windows of positions, pairs of
    frames. A dimension whose upper part goes to the one before it, and its lower part to the one behind it,
    has no such reading.
    """
    if math.prod(shape) != math.prod(result) or 0 in shape:
        return False
    borders, new = cuts(shape), cuts(result)
    for above, below in zip(borders, borders[1:]):
        for index, cut in enumerate(new[1:-1], 1):
            if not below < cut < above:
                continue
            if cut % below or above % cut:
                return True
            if new[index + 1] < below and new[index - 1] > above:
                return True
    return False
