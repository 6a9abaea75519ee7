"""The static half of a training-wide condition: its name, its words and its parameters."""

from __future__ import annotations

from dataclasses import dataclass

FILTER_PREFIX = "tp."
"""Before the id of a condition, in the id of its exception filter."""


@dataclass(frozen=True)
class Parameter:
    """A number that the user may change, as in `factor=5`."""

    name: str
    default: float
    help: str


WARMUP = Parameter("warmup", 20, "steps at the beginning that are only watched")
COOLDOWN = Parameter("cooldown", 50, "steps after a stop in which the condition does not stop again")


@dataclass(frozen=True)
class ConditionInfo:
    """A row of the Breakpoints view, a page of the documentation, and a word for `tensorpeek run --break`."""

    id: str
    """As in `loss-spike`; the exception filter is `tp.loss-spike`."""
    label: str
    """Beside the check box: at most 40 characters."""
    description: str
    """One or two sentences: what is watched, and when it stops."""
    parameters: tuple[Parameter, ...] = ()
    aliases: tuple[str, ...] = ()
    """Shorter words for `--break`; several conditions may share one, as `nan`."""
    is_recommended: bool = True
    """Whether it is in the set that fits every model."""

    @property
    def filter(self) -> str:
        return FILTER_PREFIX + self.id
