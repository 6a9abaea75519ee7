"""Times several contenders at the same work in turns, so that a noisy machine is equally unfair to all."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

SHORTEST_SAMPLE = 500e-6
"""Seconds; quicker work is repeated within a sample, and the sample divided."""

Work = Callable[[], object]


@dataclass(frozen=True)
class Sample:
    """Seconds (or bytes) of one contender: the median and its spread over `n` samples."""

    median: float
    low: float
    high: float
    quarter: float
    three_quarters: float
    n: int
    capped: bool = False
    """It was given up at this value: the truth is more."""

    @classmethod
    def of(cls, values: list[float], capped: bool = False) -> Sample:
        if len(values) > 1:
            quarter, _, three_quarters = statistics.quantiles(values, n=4, method="inclusive")
        else:
            quarter = three_quarters = values[0]
        return cls(
            statistics.median(values), min(values), max(values), quarter, three_quarters, len(values), capped
        )

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def seconds(work: Work) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def interleave(contenders: Mapping[str, Work], rounds: int, longest: float) -> dict[str, Sample]:
    """Times each contender once per round, in an order that rotates.

    Ends after `rounds`, or after `longest` seconds once each has three samples.
    """
    names = list(contenders)
    repeats = {name: max(1, round(SHORTEST_SAMPLE / max(seconds(contenders[name]), 1e-9))) for name in names}
    taken: dict[str, list[float]] = {name: [] for name in names}
    begun = time.perf_counter()
    for turn in range(rounds):
        if turn >= 3 and time.perf_counter() - begun > longest:
            break
        first = turn % len(names)
        for name in names[first:] + names[:first]:
            work, times = contenders[name], repeats[name]
            start = time.perf_counter()
            for _ in range(times):
                work()
            taken[name].append((time.perf_counter() - start) / times)
    return {name: Sample.of(values) for name, values in taken.items()}
