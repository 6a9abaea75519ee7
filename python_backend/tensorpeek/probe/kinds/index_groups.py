"""Long sequences open in groups `[0…99]`, `[100…199]`, made on expansion: no client needs paging for it."""

from __future__ import annotations

from functools import partial
from typing import Callable

from tensorpeek.probe.kinds.kind import Child
from tensorpeek.probe.presentation import Group

GROUP = 100
"""Rows at one level."""

MakeRows = Callable[[int, int], "list[Child]"]
"""Makes the rows from one index up to, not including, another."""


def index_groups(count: int, make_rows: MakeRows, start: int = 0) -> list[Child]:
    """The rows themselves where they are few, else at most GROUP groups of them, of groups of them…"""
    if count <= GROUP:
        return make_rows(start, start + count)
    width = GROUP
    while count > width * GROUP:
        width *= GROUP
    groups = []
    for first in range(start, start + count, width):
        held = min(width, start + count - first)
        label = f"[{first}…{first + held - 1}]"
        groups.append(Child(label, Group("", partial(index_groups, held, make_rows, first)), ""))
    return groups
