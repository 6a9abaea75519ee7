"""What the present text says, against what a traced pass shows."""

from __future__ import annotations

from dataclasses import dataclass

from tensorpeek.server.shapes.alignment import Span

PASS = "the traced pass"
"""In a message: which one it was is said by who shows it."""


@dataclass(frozen=True)
class Contradiction:
    span: Span
    """In the present text."""
    message: str
    related: tuple[tuple[Span, str], ...] = ()
    """Other places of the present text."""
    depends: bool = False
    """Whether another size of a dimension that has a name could fit."""
