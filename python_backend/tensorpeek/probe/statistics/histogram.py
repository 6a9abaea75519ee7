"""A histogram in one line of text."""

from __future__ import annotations

from collections.abc import Sequence

BARS = "▁▂▃▄▅▆▇█"


def sparkline(counts: Sequence[int]) -> str:
    """A bar for each count: a space for none, the lowest bar for any, the highest for the most."""
    most = max(counts, default=0)
    return "".join(" " if not times else BARS[times * (len(BARS) - 1) // most] for times in counts)
