"""What a condition says when it holds. The engine makes a finding of it: with step, rank, time and place."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tensorpeek.probe.training.places import Place


@dataclass
class Related:
    """A second line that belongs to a finding, and what happened there."""

    place: Place
    message: str


@dataclass
class Report:
    title: str
    """What the call stack's header has room for: at most 31 characters, as in `NaN in gradients`."""
    message: str
    """The cause in one or two sentences with names, numbers and the line's meaning; for the user."""
    place: Place | None = None
    """The line that did it; None for the user's line of the moment."""
    module: str = ""
    """The path of the module concerned, as in `encoder.layers.3.attn`."""
    value: float | None = None
    threshold: float | None = None
    history: list[float] = field(default_factory=list)
    """The last values up to this one; at most 100."""
    evidence: list[str] = field(default_factory=list)
    """Lines of monospace text."""
    next: list[str] = field(default_factory=list)
    """What to look at or to try next, each a sentence."""
    related: list[Related] = field(default_factory=list)
    values: dict[str, Any] = field(default_factory=dict)
    """Values that are shown as variables at the stop: inputs, outputs, gradients."""
    seeks_producer: bool = False
    """A value is not finite: the engine replays the step and adds where it was born."""
    is_of_batch: bool = False
    """The batch itself is not finite: what becomes NaN of it in the same step is no news."""
    is_warning: bool = False
    """Set for what is worth a line in the findings but no stop."""
