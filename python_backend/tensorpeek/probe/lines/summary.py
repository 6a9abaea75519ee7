"""The line of a value as the Variables view shows it, for log messages."""

from __future__ import annotations

from typing import Any

from tensorpeek.probe import raw
from tensorpeek.probe.budget import Deadline
from tensorpeek.probe.kinds.registry import kind_of
from tensorpeek.probe.reprs import is_plain
from tensorpeek.probe.titles import clipped

BUDGET_MS = 20.0
"""A large tensor is read in part, and its line says so."""
LONGEST = 500


def summary(value: Any) -> str:
    """Runs no code of the value's."""
    cls = type(value)
    kind = kind_of(cls)
    if kind is not None:
        work = kind.scan(value)
        if work is not None:
            work.advance(Deadline.after(BUDGET_MS))
        presentation = kind.present(value, work)
        if presentation is not None:
            return clipped(presentation["text"], LONGEST)
    return clipped(repr(value), LONGEST) if is_plain(value) else f"<{raw.class_name(cls)}>"
