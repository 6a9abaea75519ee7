"""How long a piece of work may take."""

from __future__ import annotations

import math
from time import monotonic


class Deadline:
    """A moment of the monotonic clock after which resumable work has to pause."""

    __slots__ = ("_end",)

    def __init__(self, end: float) -> None:
        self._end = end
        """Seconds of `time.monotonic`."""

    @classmethod
    def after(cls, milliseconds: float) -> Deadline:
        """The moment that many milliseconds from now."""
        return cls(monotonic() + milliseconds / 1000)

    @classmethod
    def never(cls) -> Deadline:
        """No limit."""
        return cls(math.inf)

    @property
    def expired(self) -> bool:
        """Whether the moment has come."""
        return monotonic() >= self._end

    @property
    def remaining_ms(self) -> float:
        """Milliseconds left, never negative."""
        return max(0.0, (self._end - monotonic()) * 1000)
