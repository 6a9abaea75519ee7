"""Lets so many messages through, and counts the rest."""

from __future__ import annotations

BURST = 50
"""Messages that come through at once, however quick they are."""
PER_SECOND = 2.0


class Throttle:
    """Of one log message."""

    def __init__(self) -> None:
        self._tokens = float(BURST)
        self._last = 0.0
        self.withheld: list[str] = []
        """The latest message that did not come through; at most one."""
        self.count = 0
        """How many did not, since the last one that did."""

    def passed(self, text: str, now: float) -> str | None:
        """The text to show, with how many were left out before it; None to leave this one out too.

        `now` is in seconds of any steady clock.
        """
        self._tokens = (
            min(float(BURST), self._tokens + (now - self._last) * PER_SECOND) if self._last else BURST
        )
        self._last = now
        if self._tokens < 1:
            self.count += 1
            self.withheld = [text]
            return None
        self._tokens -= 1
        return self._shown(text)

    def rest(self) -> str | None:
        """The latest message that did not come through, for the end of the program."""
        if not self.withheld:
            return None
        text = self.withheld[0]
        self.count -= 1
        return self._shown(text)

    def _shown(self, text: str) -> str:
        left_out, self.count, self.withheld = self.count, 0, []
        return f"{text}   ({left_out:,} more before it)" if left_out else text
