"""A histogram in one line of text."""

from __future__ import annotations

from typing import Any

from tensorpeek.probe.budget import Deadline
from tensorpeek.probe.statistics.scan import Scan

BINS = 24
BARS = "▁▂▃▄▅▆▇█"


def sparkline(scan: Scan, deadline: Deadline, bins: int = BINS) -> str:
    """Bars for how many finite elements lie in each of `bins` equal parts of the scan's range.

    An empty part has a space of its own, anything else at least the lowest bar. Reads evenly spread blocks until the
    deadline; empty when the range is.
    """
    statistics = scan.statistics
    low, high = statistics.minimum, statistics.maximum
    if low is None or high is None or low == high:
        return ""
    counts: list[int] = [0] * bins

    def count(np: Any, values: Any) -> None:
        found, _ = np.histogram(values, bins, (float(low), float(high)))
        for i, times in enumerate(found.tolist()):
            counts[i] += times

    scan.visit(count, deadline)
    most = max(counts)
    if not most:
        return ""
    return "".join(" " if not times else BARS[times * (len(BARS) - 1) // most] for times in counts)
