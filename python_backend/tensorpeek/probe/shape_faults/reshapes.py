"""A view or reshape where a transpose belongs: the sizes fit, and the elements are another's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from tensorpeek.probe.shape_faults.dimension_groups import Shape, is_merge_of, tears

MOST_BEHIND = 60
"""Operations between a transpose and the reshape that takes it for undone: attention has about 20."""
CONVOLUTION, EMBEDDING, LINEAR = "convolution", "embedding", "linear"


@dataclass(frozen=True)
class Turn:
    """A transpose or permute."""

    sizes: Shape
    """Of its result."""
    order: tuple[int, ...]
    """Where each dimension of the result was before."""
    maker: Any
    """The operation, for who asks."""


class Lineage(Protocol):
    """What made the operand of a reshape."""

    def is_stacked(self) -> bool:
        """Whether it is tensors that were stacked before their first dimension."""
        ...

    def layer(self) -> str:
        """CONVOLUTION, EMBEDDING, LINEAR or nothing: what made the elements, past what keeps their dims."""
        ...

    def turns(self) -> Iterator[Turn]:
        """Those that the elements have gone through, nearest first, as far as MOST_BEHIND operations back."""
        ...


@dataclass(frozen=True)
class Mixed:
    before: Shape
    after: Shape
    meant: Shape
    """The sizes of `before` in the order in which they make `after`."""
    why: str
    maker: Any = None
    """Of the transpose that the reshape does not undo."""

    def message(self) -> str:
        before, after, meant = (list(shape) for shape in (self.before, self.after, self.meant))
        return (
            f"{before} is reshaped to {after} without being transposed to {meant} first: the sizes fit, but "
            f"each entry of the result is put together from parts of several others. {self.why}"
        )

    def advice(self) -> str:
        order = _permutation(self.before, self.meant)
        turned = f"permute{order}" if order else "permute or transpose"
        return f"{turned} before the reshape: a reshape keeps the elements' order."


def mixing(before: Shape, after: Shape, lineage: Lineage) -> Mixed | None:
    """What a reshape does to its operand, if that is surely not what was meant."""
    if len(before) < 2 or len(after) < 2 or is_merge_of(before, after):
        return None
    stacked = _of_stacked(before, after, lineage)
    if stacked is not None or not tears(before, after):
        return stacked
    return _not_undone(before, after, lineage) or _of_layer(before, after, lineage)


def _not_undone(before: Shape, after: Shape, lineage: Lineage) -> Mixed | None:
    """The sizes before a transpose would make the result as they are, and those behind it do not."""
    for turn in lineage.turns():
        sizes = turn.sizes
        # One of three stacked parts, as queries, keys and values, may have been taken in between.
        for taken in (None, *range(len(sizes))) if len(sizes) > len(before) else (None,):
            kept = [index for index in range(len(sizes)) if index != taken]
            if tuple(sizes[index] for index in kept) != before:
                continue
            meant = tuple(sizes[index] for index in sorted(kept, key=turn.order.__getitem__))
            if meant != before and is_merge_of(meant, after):
                why = "They were transposed before, and never transposed back."
                return Mixed(before, after, meant, why, turn.maker)
    return None


def _of_layer(before: Shape, after: Shape, lineage: Lineage) -> Mixed | None:
    """Channels of a convolution taken for the last dimension, features for the second, or the first two for
    each other.
    """
    if len(before) < 3:
        return None
    layer = lineage.layer()
    if not layer:
        return None
    exchanged = (before[1], before[0], *before[2:])
    if after == exchanged:
        why = "The sizes of its first two dimensions are exchanged, and its elements stay where they are."
        return Mixed(before, after, exchanged, why)
    if layer == CONVOLUTION:
        meant = (before[0], *before[2:], before[1])
        is_kept = before[0] == after[0] or (len(after) == 2 and after[1] == before[1])
        why = f"Its second dimension are the {before[1]} channels of a convolution."
    else:
        meant = (before[0], before[-1], *before[1:-1])
        # What a linear layer puts out may be parts of several things.
        is_kept = before[0] == after[0] and (layer == EMBEDDING or meant == after)
        of = "an embedding" if layer == EMBEDDING else "a linear layer"
        why = f"Its last dimension are the {before[-1]} features of {of}."
    return Mixed(before, after, meant, why) if is_kept and is_merge_of(meant, after) else None


def _of_stacked(before: Shape, after: Shape, lineage: Lineage) -> Mixed | None:
    """Parts that were stacked before the batch, as the last states of layers, taken for stacked behind it."""
    meant = (before[1], before[0], *before[2:])
    if len(before) < 3 or before[0] == before[1] or after[0] != before[1] or not is_merge_of(meant, after):
        return None
    if not lineage.is_stacked():
        return None
    why = f"{before[0]} tensors of {list(before[1:])} were stacked before the batch."
    return Mixed(before, after, meant, why)


def _permutation(before: Shape, meant: Shape) -> tuple[int, ...]:
    """Empty where equal sizes leave it open."""
    return tuple(before.index(size) for size in meant) if len(set(before)) == len(before) else ()
