"""Reading objects without running their code: no property, no `__getattr__`, no metaclass."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any, cast

from tensorpeek.probe.types_map import TypeMap

MISSING = object()

SLOT = types.MemberDescriptorType
"""Descriptors of `__slots__`, which only fetch."""


def class_of(value: object) -> type:
    """Its real class; `isinstance` would ask `__class__`, which may run code and may lie."""
    return type(value)


def derives(value: object, *classes: type) -> bool:
    """Whether the value is an instance of one of the classes, without its code having a say."""
    return any(base is cls for base in bases(type(value)) for cls in classes)


def exactly(value: object, *classes: type) -> bool:
    """Whether the value is of one of these very classes."""
    return any(type(value) is cls for cls in classes)


def attributes(value: object) -> dict[str, Any]:
    """The instance's own attributes, from its dictionary and its slots."""
    try:
        found = object.__getattribute__(value, "__dict__")
    except Exception:  # noqa: BLE001 - a class may put a property there
        found = None
    own: dict[str, Any] = dict(found) if type(found) is dict else {}
    for name, slot in slots(type(value)).items():
        try:
            own.setdefault(name, slot.__get__(value))
        except AttributeError:  # noqa: PERF203 - the slot is not set
            pass
    return own


_slots: TypeMap[dict[str, Any]] = TypeMap()


def slots(cls: type) -> dict[str, Any]:
    """The descriptors of the class's slots by name, those of its bases too."""
    known = _slots.get(cls)
    if known is None:
        known = {
            name: slot
            for base in reversed(bases(cls))
            for name, slot in namespace(base).items()
            if type(slot) is SLOT
        }
        _slots.set(cls, known)
    return known


def attribute(value: object, name: str) -> Any:
    """What `value.name` gives where that is only a look-up, else MISSING."""
    if derives(value, type):
        return in_class(cast(type, value), name, plain_only=True)
    if derives(value, types.ModuleType):
        return types.ModuleType.__getattribute__(cast(types.ModuleType, value), "__dict__").get(name, MISSING)
    in_bases = in_class(type(value), name)
    if type(in_bases) is SLOT:
        try:
            return in_bases.__get__(value)
        except AttributeError:
            return MISSING
    if has_setter(in_bases):
        return MISSING
    own = attributes(value)
    if name in own:
        return own[name]
    if is_module(type(value)):
        for registry in ("_parameters", "_buffers", "_modules"):
            held: Any = own.get(registry)
            if derives(held, dict) and name in held:
                return held[name]
    return MISSING if has_getter(in_bases) else in_bases


def in_class(cls: type, name: str, *, plain_only: bool = False) -> Any:
    """The class attribute as it is stored, else MISSING; `plain_only` leaves out what has a `__get__`."""
    for base in bases(cls):
        if name in namespace(base):
            found = namespace(base)[name]
            return MISSING if plain_only and has_getter(found) else found
    return MISSING


def bases(cls: type) -> tuple[type, ...]:
    """The method resolution order, without the metaclass having a say."""
    return type.__dict__["__mro__"].__get__(cls)


def namespace(cls: type) -> Any:
    """The class's own dictionary, without the metaclass having a say."""
    return type.__dict__["__dict__"].__get__(cls)


def has_getter(found: object) -> bool:
    return found is not MISSING and in_class(type(found), "__get__") is not MISSING


def has_setter(found: object) -> bool:
    """Whether it goes before the instance's own dictionary, as a property does."""
    return found is not MISSING and in_class(type(found), "__set__") is not MISSING


def class_name(cls: type) -> str:
    """The name of the class, without its metaclass having a say."""
    return str(type.__dict__["__name__"].__get__(cls))


def module_name(cls: type) -> str:
    """Where the class says it is defined, empty when it says nothing sensible."""
    try:
        module = type.__dict__["__module__"].__get__(cls)
    except AttributeError:
        return ""
    return module if isinstance(module, str) else ""


def class_names(cls: type) -> Iterator[str]:
    """`module.Name` of the class and of its bases, first the class itself.

    Kinds recognize classes by these names: torch and numpy need not be asked, and may be half imported.
    """
    for base in bases(cls):
        yield f"{module_name(base)}.{class_name(base)}"


_names: TypeMap[frozenset[str]] = TypeMap()


def is_a(cls: type, *names: str) -> bool:
    """Whether the class or one of its bases has one of these full names."""
    own = _names.get(cls)
    if own is None:
        own = frozenset(class_names(cls))
        _names.set(cls, own)
    return not own.isdisjoint(names)


def is_module(cls: type) -> bool:
    return is_a(cls, "torch.nn.modules.module.Module")


def is_optimizer(cls: type) -> bool:
    return is_a(cls, "torch.optim.optimizer.Optimizer")
