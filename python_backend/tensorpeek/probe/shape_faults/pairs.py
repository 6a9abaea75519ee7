"""Two tensors of as many elements that broadcast each other to a table of all pairs."""

from __future__ import annotations

import math

from tensorpeek.probe.shape_faults.dimension_groups import Shape

MEANT = ("unsqueeze", "expand", "transpose", "t", "permute")
"""An operand made by one of these operations was given its shape on purpose."""


def partner_of(shape: Shape, result: Shape) -> Shape | None:
    """The shape that `shape` would have with its last dimension of 1 forgotten or added, if that makes
    `result`.
    """
    candidates = [shape[:-1]] if len(shape) > 1 and shape[-1] == 1 else []
    candidates.append((*shape, 1))
    for other in candidates:
        if broadcast(shape, other) == result and math.prod(result) > math.prod(shape) > 1:
            return other
    return None


def broadcast(left: Shape, right: Shape) -> Shape | None:
    """None where the two don't fit."""
    width = max(len(left), len(right))
    pairs = zip((1,) * (width - len(left)) + left, (1,) * (width - len(right)) + right)
    sizes: list[int] = []
    for one, two in pairs:
        if one != two and 1 not in (one, two):
            return None
        sizes.append(max(one, two))
    return tuple(sizes)


def consequence(count: int, total: int) -> str:
    """`count` elements of each, `total` of the result."""
    others = total // count
    return f"each of the {count} values meets all {others} of the other tensor instead of its own partner"


def advice(left: str, right: str) -> str:
    """`left` and `right`: the shapes as text, of which the longer one has the dimension of 1."""
    wide = max(left, right, key=lambda text: text.count(","))
    return f"Give both the same shape before: squeeze(-1) the {wide} one, or unsqueeze(-1) the other."
