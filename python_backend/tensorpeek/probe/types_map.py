"""A memory per class that neither keeps the class alive nor runs its metaclass."""

from __future__ import annotations

import weakref
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class TypeMap(Generic[T]):
    """Keyed by identity, because a metaclass may define `__hash__` and `__eq__` that raise or take long."""

    def __init__(self) -> None:
        self._entries: dict[int, tuple[weakref.ref[Any], T]] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, cls: type) -> T | None:
        entry = self._entries.get(id(cls))
        return entry[1] if entry is not None and entry[0]() is cls else None

    def set(self, cls: type, value: T) -> None:
        self._entries[id(cls)] = (weakref.ref(cls), value)

    def discard(self, cls: type) -> None:
        self._entries.pop(id(cls), None)
