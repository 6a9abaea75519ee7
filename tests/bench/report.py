"""The result of one benchmark: contenders by row, the ratios between them, and whether those are as asked.

Or a table of scores, where nobody is timed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from timing import Sample

OURS = "TensorPeek"


@dataclass(frozen=True)
class Row:
    """One piece of work. Ratios are peer over ours: above 1 we need less."""

    work: str
    samples: Mapping[str, Sample]
    """By contender; `OURS` is one of them. A peer that cannot do the work is absent."""
    ours: Mapping[str, str] = field(default_factory=dict)
    """By peer, the contender of ours that does the same work, where it is not `OURS`."""
    at_least: Mapping[str, float] = field(default_factory=dict)
    """The ratio asked for, by peer."""
    at_most: float | None = None
    """What ours may need, in the benchmark's unit, whatever the peers need."""
    note: str = ""

    def ratio(self, peer: str) -> float:
        return self.samples[peer].median / self._ours(peer).median

    def _ours(self, peer: str) -> Sample:
        return self.samples[self.ours.get(peer, OURS)]

    def peers(self) -> list[str]:
        return [name for name in self.samples if name != OURS and name not in self.ours.values()]

    def verdict(self) -> str:
        """`yes`, `no`, or `noise` where a target is missed by less than the spread of the samples."""
        ours = self.samples[OURS]
        worst = "yes"
        if self.at_most is not None and ours.median > self.at_most:
            worst = "noise" if ours.quarter <= self.at_most else "no"
        for peer, asked in self.at_least.items():
            if peer in self.samples and self.ratio(peer) < asked:
                close = self.samples[peer].three_quarters / self._ours(peer).quarter >= asked
                worst = "noise" if close and worst != "no" else "no"
        return worst


@dataclass(frozen=True)
class Table:
    """Texts under a title."""

    title: str
    lines: list[list[str]]
    """The head first."""
    notes: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        head, *rows = self.lines
        return {"title": self.title, "head": head, "rows": rows, "notes": self.notes}

    def as_text(self) -> str:
        widths = [max(len(line[column]) for line in self.lines) for column in range(len(self.lines[0]))]
        table = ["  ".join(map(str.ljust, line, widths)).rstrip() for line in self.lines]
        return "\n".join([self.title, "=" * len(self.title), *table, *self.notes])

    def as_markdown(self) -> str:
        head, *body = self.lines
        table = [head, ["---"] * len(head), *body]
        lines = ["| " + " | ".join(line) + " |" for line in table]
        return "\n".join([f"**{self.title}**", "", *lines, "", *(f"{note}  " for note in self.notes)]).strip()


@dataclass(frozen=True)
class Benchmark:
    """All rows of one benchmark."""

    title: str
    rows: list[Row]
    unit: str = "s"
    """`s` or `B`."""
    notes: list[str] = field(default_factory=list)

    def contenders(self) -> list[str]:
        names = {name: None for row in self.rows for name in row.samples}
        return [OURS, *(name for name in names if name != OURS)]

    def to_json(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "unit": self.unit,
            "notes": self.notes,
            "rows": [
                {
                    "work": row.work,
                    "samples": {name: sample.to_json() for name, sample in row.samples.items()},
                    "ratios": {peer: row.ratio(peer) for peer in row.peers()},
                    "atLeast": dict(row.at_least),
                    "atMost": row.at_most,
                    "met": row.verdict(),
                    "note": row.note,
                }
                for row in self.rows
            ],
        }

    def cells(self) -> list[list[str]]:
        """The table as text: a head, then one line per row."""
        contenders = self.contenders()
        peers = list(dict.fromkeys(peer for row in self.rows for peer in row.peers()))
        lines = [["", *contenders, *(f"÷ {peer}" for peer in peers), "as asked", ""]]
        for row in self.rows:
            samples = [_spread(row.samples.get(name), self.unit) for name in contenders]
            ratios = [_ratio(row, peer) if peer in row.samples else "–" for peer in peers]
            asked = row.verdict() if row.at_least or row.at_most is not None else ""
            lines.append([row.work, *samples, *ratios, asked, row.note])
        if not any(line[-1] for line in lines):
            lines = [line[:-1] for line in lines]
        return lines

    def as_text(self) -> str:
        return Table(self.title, self.cells(), self.notes).as_text()

    def as_markdown(self) -> str:
        return Table(self.title, self.cells(), self.notes).as_markdown()


def _ratio(row: Row, peer: str) -> str:
    ratio = row.ratio(peer)
    text = f"{ratio:.2g}" if ratio < 10 else f"{ratio:.0f}"
    return ("> " if row.samples[peer].capped else "") + text


def _spread(sample: Sample | None, unit: str) -> str:
    if sample is None:
        return "–"
    if sample.capped:
        return f"> {quantity(sample.median, unit)}"
    text = quantity(sample.median, unit)
    return text if sample.n == 1 else f"{text} ({quantity(sample.low, unit)}–{quantity(sample.high, unit)})"


def quantity(value: float, unit: str) -> str:
    """Three digits and a unit that suits them."""
    if unit == "B":
        return f"{value / 2**20:.3g} MiB" if value < 1000 * 2**20 else f"{value / 2**30:.3g} GiB"
    for factor, name in ((1, "s"), (1e3, "ms")):
        if value * factor >= 1:
            return f"{value * factor:.3g} {name}"
    return f"{value * 1e6:.3g} µs"
