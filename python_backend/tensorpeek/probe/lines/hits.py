"""How often a line was reached, and why its condition holds."""

from __future__ import annotations

from typing import Callable

Reason = tuple[str, str]
"""A title of at most 31 characters, and a sentence without its full stop."""
MakeReason = Callable[[], Reason]


class Hits:
    """One per breakpoint; what is known of the present hit is overwritten by the next."""

    def __init__(self) -> None:
        self.count = 0
        """This time included."""
        self._reason: MakeReason | None = None

    def begin(self) -> None:
        self.count += 1
        self._reason = None

    def say(self, make_reason: MakeReason) -> None:
        """The first of a hit counts: in `spike(a) or spike(b)` the one that held."""
        if self._reason is None:
            self._reason = make_reason

    def reason(self) -> Reason | None:
        """Why the condition of the present hit holds; None where nothing of ours decided it."""
        return None if self._reason is None else self._reason()
