"""The row `stats` under tensors and arrays: a histogram or the range in its line, every number under it."""

from __future__ import annotations

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
HISTOGRAM_MS = 20.0
CHEAP = 16_384
"""Numbers whose histogram is made for the line of `stats` alone."""

StatsScan = Union[Scan, DeviceScan]
OpenScan = Callable[[], Optional[StatsScan]]


class Stats(Group):
    """Holds the scan, so that what its line has read serves its rows; it begins when the line is made."""

    __slots__ = ("_open_scan", "_scan")

    def __init__(self, open_scan: OpenScan) -> None:
        super().__init__("", self._rows)
        self._open_scan = open_scan
        self._scan: StatsScan | None = None

    def scan(self) -> StatsScan | None:
        if self._scan is None:
            self._scan = self._open_scan()
        return self._scan

    def _rows(self) -> list[Child]:
        scan = self.scan()
        if scan is None:
            return []
        scan.advance(Deadline.after(HISTOGRAM_MS))
        rows = [Child(name, Text(text)) for name, text in statistics_rows(scan.statistics)]
        histogram = histogram_text(scan)
        return [*rows, Child("histogram", Text(histogram, "spark"))] if histogram else rows


Stats.__name__ = ""


class StatsKind:
    """Partial, and then exact, as the line of the tensor itself."""

    presentation_kind: PresentationKind = "array"

    def matches(self, cls: type) -> bool:
        return cls is Stats

    def scan(self, value: Stats) -> StatsScan | None:
        return value.scan()

    def present(self, value: Stats, scan: StatsScan | None) -> Presentation:
        if scan is None:
            return present("", self.presentation_kind)
        known = scan.statistics
        histogram = histogram_text(scan) if known.exact and known.count <= CHEAP else ""
        return present(histogram or range_text(known), self.presentation_kind, style="spark")

    def children(self, value: Stats) -> list[Child]:
        return value.make_children()


def histogram_text(scan: StatsScan) -> str:
    """`−2.1 ▁▂▅█▅▂▁ 2.3`, empty where there is no range."""
    counts = scan.histogram(BINS, Deadline.after(HISTOGRAM_MS)) if isinstance(scan, Scan) else []
    if not any(counts):
        return ""
    known = scan.statistics
    return f"{number(known.minimum)} {sparkline(counts)} {number(known.maximum)}"


def range_text(known: Statistics) -> str:
    """`−2.1…2.3`, between bounds where not everything was read."""
    if known.minimum is None:
        return "nothing finite" if known.exact else ""
    if not known.exact:
        return f"min ≤ {number(known.minimum)} max ≥ {number(known.maximum)}"
    if known.minimum == known.maximum:
        return number(known.minimum)
    return f"{number(known.minimum)}…{number(known.maximum)}"
