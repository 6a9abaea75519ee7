"""The list of kinds, and which of them a class is of."""

from __future__ import annotations

from typing import Optional, Tuple

from tensorpeek.probe.kinds.kind import Kind
from tensorpeek.probe.types_map import TypeMap

KINDS: Tuple[Kind, ...] = ()
"""Asked in this order: the special before the general."""

_known: TypeMap[Tuple[Optional[Kind]]] = TypeMap()


def kind_of(cls: type) -> Optional[Kind]:
    """The first kind that matches the class, None for an ordinary one."""
    known = _known.get(cls)
    if known is None:
        known = (next((kind for kind in KINDS if kind.matches(cls)), None),)
        _known.set(cls, known)
    return known[0]
