"""The row `stats` under tensors and arrays: a histogram or the range in its line, every number under it."""

from __future__ import annotations

import math
from typing import Callable, Optional, Union

from tensorpeek.contract.messages import Presentation, PresentationKind
from tensorpeek.probe.budget import Deadline
from tensorpeek.probe.kinds.kind import Child
from tensorpeek.probe.presentation import Group, Text, present
from tensorpeek.probe.statistics import Scan, Statistics
from tensorpeek.probe.statistics.histogram import sparkline
from tensorpeek.probe.tensors.cuda import DeviceScan
from tensorpeek.probe.tensors.line import number, statistics_rows

BINS = 24
"""Bars of a histogram."""
ROWS_MS = 20.0
"""Milliseconds for what is still to be read when the rows are made: the line asks for the rest."""

StatsScan = Union[Scan, DeviceScan]
OpenScan = Callable[[], Optional[StatsScan]]


class StatsWork:
    """The scan first, which gives the range, and then the bars."""

    def __init__(self, scan: StatsScan) -> None:
        self.scan = scan
        self._bars = [0] * BINS
        self._binned = 0
        """Blocks that are in the bars."""

    @property
    def cost(self) -> int:
        if not isinstance(self.scan, Scan):
            return self.scan.cost
        return self.scan.cost + math.ceil(self.scan.statistics.count * (1 - self._binned / self.scan.blocks))

    def advance(self, deadline: Deadline) -> bool:
        if not self.scan.advance(deadline):
            return False
        if isinstance(self.scan, Scan):
            self._binned = self.scan.histogram(self._bars, self._binned, deadline)
        return not self.cost

    def histogram(self) -> str:
        """`−2.1 ▁▂▅█▅▂▁ 2.3`, and of how much it is; empty where there is no range."""
        known, bars, binned = self.scan.statistics, self._bars, self._binned
        if not isinstance(self.scan, Scan):
            return ""
        if not binned:  # the range may still grow, which moves the bars
            bars = [0] * BINS
            binned = self.scan.histogram(bars, 0, Deadline.after(ROWS_MS))
        if not any(bars):
            return ""
        text = f"{number(known.minimum)} {sparkline(bars)} {number(known.maximum)}"
        return text if binned == self.scan.blocks else f"{text} of {100 * binned / self.scan.blocks:.2g} %"


class Stats(Group):
    """Holds the work, so that what its line has read serves its rows; it begins when the line is made."""

    __slots__ = ("_open_scan", "_work")

    def __init__(self, open_scan: OpenScan) -> None:
        # Not Group's way: a method of its own in an attribute would be a cycle, and keep the tensor alive.
        self.label = ""
        self._open_scan = open_scan
        self._work: StatsWork | None = None

    def go_on_with(self, scan: object) -> None:
        """Reads no more of what the line of the value itself has read."""
        if isinstance(scan, (Scan, DeviceScan)):
            self._work = StatsWork(scan)

    def work(self) -> StatsWork | None:
        if self._work is None:
            self.go_on_with(self._open_scan())
        return self._work

    def make_children(self) -> list[Child]:
        work = self.work()
        if work is None:
            return []
        work.advance(Deadline.after(ROWS_MS))
        rows = [Child(name, Text(text)) for name, text in statistics_rows(work.scan.statistics)]
        histogram = work.histogram()
        return [*rows, Child("histogram", Text(histogram, "spark"))] if histogram else rows


Stats.__name__ = ""


class StatsKind:
    """Partial, and then exact, as the line of the tensor itself."""

    presentation_kind: PresentationKind = "array"

    def matches(self, cls: type) -> bool:
        return cls is Stats

    def scan(self, value: Stats) -> StatsWork | None:
        return value.work()

    def present(self, value: Stats, scan: StatsWork | None) -> Presentation:
        if scan is None:
            return present("", self.presentation_kind)
        histogram = "" if scan.cost else scan.histogram()
        return present(histogram or range_text(scan.scan.statistics), self.presentation_kind, style="spark")

    def children(self, value: Stats) -> list[Child]:
        return value.make_children()


def range_text(known: Statistics) -> str:
    """`−2.1…2.3`, between bounds where not everything was read."""
    if known.minimum is None:
        return "nothing finite" if known.exact else ""
    if not known.exact:
        return f"min ≤ {number(known.minimum)} max ≥ {number(known.maximum)}"
    if known.minimum == known.maximum:
        return number(known.minimum)
    return f"{number(known.minimum)}…{number(known.maximum)}"
