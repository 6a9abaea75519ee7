"""A memory per class that neither keeps the class alive nor runs its metaclass."""

from __future__ import annotations

import weakref
from typing import Any, Dict, Generic, Optional, Tuple, TypeVar

T = TypeVar("T")


class TypeMap(Generic[T]):
    """Keyed by identity, because a metaclass may define `__hash__` and `__eq__` that raise or take long."""

    def __init__(self) -> None:
        self._entries: Dict[int, Tuple["weakref.ref[Any]", T]] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, cls: type) -> Optional[T]:
        entry = self._entries.get(id(cls))
        return entry[1] if entry is not None and entry[0]() is cls else None

    def set(self, cls: type, value: T) -> None:
        self._entries[id(cls)] = (weakref.ref(cls), value)

    def discard(self, cls: type) -> None:
        self._entries.pop(id(cls), None)


def class_names(cls: type) -> Tuple[str, ...]:
    """`module.Name` of the class and its bases, first the class itself.

    Kinds recognize classes by these names, so that torch and numpy need not be asked for, and may be half imported.
    """
    names = []
    for base in type.__dict__["__mro__"].__get__(cls):
        own = type.__dict__["__dict__"].__get__(base)
        module = own.get("__module__")
        names.append(f"{module}.{base_name(base)}" if isinstance(module, str) else base_name(base))
    return tuple(names)


def base_name(cls: type) -> str:
    """The name of the class, without its metaclass having a say."""
    return str(type.__dict__["__name__"].__get__(cls))
