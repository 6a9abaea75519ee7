"""A frame with tens of thousands of names, as notebooks turned into scripts have, opens in groups."""

from __future__ import annotations

from functools import partial
from typing import Any, Callable

from tensorpeek.probe.kinds.kind import Child
from tensorpeek.probe.presentation import Group
from tensorpeek.probe.pydevd_access import Entries

MANY = 1000
IN_GROUP = 500


def folded_locals(entries: Entries) -> Entries:
    """The same entries where they are few, else groups of them in the order of their names."""
    if len(entries) <= MANY:
        return entries
    ordered = sorted(entries, key=lambda entry: entry[0])
    parts = [ordered[start : start + IN_GROUP] for start in range(0, len(ordered), IN_GROUP)]
    return [
        (f"{part[0][0]} … {part[-1][0]}", Group(f"{len(part)} names", partial(rows, part)), None)
        for part in parts
    ]


def rows(entries: Entries) -> list[Child]:
    return [Child(name, value, whole_expression(name)) for name, value, _ in entries]


def whole_expression(name: str) -> Callable[[Any], str]:
    """A local's expression is its name, whatever group it is shown in."""
    return lambda group_expression: name
