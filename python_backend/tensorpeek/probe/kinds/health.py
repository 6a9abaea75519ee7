"""The worst that is in several tensors: what a container, a module or a frame says first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable

from tensorpeek.probe.budget import Deadline
from tensorpeek.probe.statistics import Statistics
from tensorpeek.probe.statistics.tensor_scan import AnyScan
from tensorpeek.probe.tensors.facts import TensorFacts
from tensorpeek.probe.tensors.line import alarm

COST_OF_ONE = 512
"""What beginning with one more tensor costs, in elements."""


@dataclass
class Patient:
    """One tensor or array to be looked at."""

    where: str
    """Its place in the whole, as in `['x']` or `fc.weight`."""
    size: int
    open_scan: Callable[[], AnyScan | None]


@dataclass
class Worst:
    where: str
    statistics: Statistics

    @property
    def alarm(self) -> str:
        return alarm(TensorFacts(), self.statistics)


class HealthScan:
    """Looks at the tensors one after the other, the smallest first, and remembers the worst."""

    def __init__(self, patients: list[Patient], found: Any = None) -> None:
        self.found = found
        """What the kind found out when it looked for the patients."""
        self._waiting = sorted(patients, key=lambda patient: patient.size, reverse=True)
        self._total = sum(patient.size for patient in patients)
        self._waiting_cost = sum(patient.size + COST_OF_ONE for patient in patients)
        self._scan: AnyScan | None = None
        self._where = ""
        self.worst: Worst | None = None

    @property
    def cost(self) -> int:
        return self._waiting_cost + (self._scan.cost if self._scan is not None else 0)

    @property
    def share_seen(self) -> float:
        """Of all elements, 0 to 1."""
        unseen = self._waiting_cost - COST_OF_ONE * len(self._waiting)
        unseen += self._scan.cost if self._scan is not None else 0
        return 1.0 if self._total <= 0 else 1.0 - unseen / self._total

    def advance(self, deadline: Deadline) -> bool:
        while not deadline.expired:
            if self._scan is None and not self._next():
                return True
            if self._scan is not None and self._scan.advance(deadline):
                self._note(self._scan)
                self._scan = None
        return not self.cost

    def _next(self) -> bool:
        if not self._waiting:
            return False
        patient = self._waiting.pop()
        self._waiting_cost -= patient.size + COST_OF_ONE
        self._where = patient.where
        self._scan = patient.open_scan()
        return True

    def _note(self, scan: AnyScan) -> None:
        statistics = scan.statistics
        if badness(statistics) > (badness(self.worst.statistics) if self.worst is not None else (0, 0)):
            self.worst = Worst(self._where, statistics)


def badness(statistics: Statistics) -> tuple[int, int]:
    """Comparable; (0, 0) where nothing needs a look from outside: zeros are ordinary in one part of many."""
    if statistics.nan:
        return 3, statistics.nan
    infinite = statistics.positive_infinite + statistics.negative_infinite
    if infinite:
        return 2, infinite
    return (1, 0) if statistics.huge else (0, 0)


def with_alarm(text: str, scan: HealthScan | None) -> tuple[str, str]:
    """The alarm, empty when healthy, and the whole line that begins with it and says where it is."""
    if scan is None:
        return "", text
    if scan.worst is not None:
        where = f" in {scan.worst.where}" if scan.worst.where else ""
        return scan.worst.alarm, f"{scan.worst.alarm}{where} {text}"
    if scan.cost and scan.share_seen > 0:
        return "", f"{text} (no alarm in the {100 * scan.share_seen:.2g} % seen)"
    return "", text
