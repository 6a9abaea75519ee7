"""Rows that many kinds have under their values."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Callable

from tensorpeek.probe import pydevd_access, raw
from tensorpeek.probe.kinds.kind import Child
from tensorpeek.probe.presentation import Group


def group(name: str, make_rows: Callable[[], list[Child]], label: str = "") -> Child:
    """A row whose rows are made when it is expanded; their suffixes continue the parent's expression."""
    return Child(name, Group(label, make_rows), "")


def values_label(shape: Sequence[object], dtype: str) -> str:
    """What is under `values`, as in `64 × f32[10]`."""
    rest = f"[{','.join(map(str, shape[1:]))}]" if len(shape) > 1 else ""
    return f"{shape[0]} × {dtype}{rest}"


def attribute_rows(value: object, *names: str) -> list[Child]:
    """The named attributes that the value has, as they are stored."""
    own = raw.attributes(value)
    return [Child(name, own[name], f".{name}") for name in names if name in own]


def own_rows(value: object) -> list[Child]:
    """All attributes of the instance, as they are stored, private ones left out."""
    return [
        Child(name, held, f".{name}")
        for name, held in raw.attributes(value).items()
        if not name.startswith("_")
    ]


def all_attributes(value: object) -> Child:
    """Everything pydevd would show, made when it is expanded: it runs every property."""
    return group("all attributes", partial(every_attribute, value), label="…")


def every_attribute(value: Any) -> list[Child]:
    entries = pydevd_access.plain_children(value, attributes_only=True)
    return [Child(name, held, evaluate) for name, held, evaluate in entries]
