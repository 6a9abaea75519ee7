"""Builtin sequences whose own text prints every element: ranges, views of dicts, `array.array`."""

from __future__ import annotations

import array
from functools import partial
from itertools import islice
from typing import Any

from tensorpeek.contract.messages import Presentation, PresentationKind
from tensorpeek.probe import raw, reach
from tensorpeek.probe.kinds.index_groups import index_groups
from tensorpeek.probe.kinds.kind import Child
from tensorpeek.probe.kinds.rows import all_attributes
from tensorpeek.probe.presentation import present
from tensorpeek.probe.shorthand import shorthand

SEQUENCES = (
    range, array.array, type({}.keys()), type({}.values()), type({}.items()),
)  # fmt: skip
FEW = 60
"""Up to so many elements the ordinary text does."""


class SequenceKind:
    """`dict_keys[1000000] 'a', 'b', 'c', …`."""

    presentation_kind: PresentationKind = "other"

    def matches(self, cls: type) -> bool:
        return any(base in SEQUENCES for base in raw.bases(cls))

    def scan(self, value: Any) -> None:
        return None

    def present(self, value: Any, scan: None) -> Presentation | None:
        if len(value) <= FEW or isinstance(value, range):
            return None
        few = ", ".join(map(shorthand, islice(value, 3)))
        return present(f"{raw.class_name(type(value))}[{len(value)}] {few}, …", self.presentation_kind)

    def children(self, value: Any) -> list[Child]:
        return [*index_groups(len(value), partial(element_rows, value)), all_attributes(value)]


def element_rows(value: Any, start: int, stop: int) -> list[Child]:
    is_indexable = isinstance(value, (range, array.array))
    return [
        Child(f"[{at}]", element, f"[{at}]" if is_indexable else reach.listed(at))
        for at, element in enumerate(islice(value, start, stop), start)
    ]
