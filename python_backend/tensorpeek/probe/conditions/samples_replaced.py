"""A data set that catches the error of a sample and gives another one, or zeros, in its place."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tensorpeek.catalogue import conditions
from tensorpeek.probe.conditions.condition import Condition
from tensorpeek.probe.conditions.row_marks import marks_of
from tensorpeek.probe.conditions.swallowed_errors import catches, name_of, swallowed
from tensorpeek.probe.training.figures import share
from tensorpeek.probe.training.moments import Fetched
from tensorpeek.probe.training.report import Related, Report
from tensorpeek.probe.training.tensors_in import tensors_in

FEWEST = 5
"""Samples that are equal to others, before they are asked for again."""
FEWEST_SEEN = 40
MOST_SEEN = 8192
"""Samples of one data set that are looked at."""
CONFIRMED = 3
"""Samples whose error must be seen to be caught."""


@dataclass
class Seen:
    dataset: weakref.ref[Any]
    first: dict[int, int] = field(default_factory=dict)
    """By a sample's mark: the first row that had it."""
    rows: set[int] = field(default_factory=set)
    equal: list[int] = field(default_factory=list)
    """Rows whose samples are those of other rows, and these."""
    is_done: bool = False


class SamplesReplaced(Condition):
    """Equal samples are no fault by themselves; caught errors are none either. Many of both are."""

    info = conditions.SAMPLES_REPLACED

    def __init__(self, settings: Mapping[str, float]) -> None:
        super().__init__(settings)
        self._seen: dict[int, Seen] = {}

    def on_fetched(self, fetched: Fetched) -> Report | None:
        seen = self._of(fetched.dataset)
        if seen is None or seen.is_done or fetched.rows is None:
            return None
        rows = fetched.rows
        marks = next(
            (found for tensor in _samples(fetched.batch, len(rows)) if (found := marks_of(tensor))), None
        )
        if marks is None:
            seen.is_done = True
            return None
        for row, mark in zip(rows, marks):
            if row in seen.rows:
                continue
            seen.rows.add(row)
            first = seen.first.setdefault(mark, row)
            if first != row:
                seen.equal += [row] if first in seen.equal else [first, row]
        count = len(seen.rows)
        needed = max(2 * FEWEST, 2 * self.settings["share"] * count)
        if count < FEWEST_SEEN or len(seen.equal) < needed:
            seen.is_done = count >= MOST_SEEN
            return None
        seen.is_done = True
        return self._report(fetched, seen)

    def _of(self, dataset: Any) -> Seen | None:
        seen = self._seen.get(id(dataset))
        if seen is None or seen.dataset() is not dataset:
            try:
                seen = self._seen[id(dataset)] = Seen(weakref.ref(dataset))
            except TypeError:  # a list, for one
                return None
            seen.is_done = not catches(dataset)
        return seen

    def _report(self, fetched: Fetched, seen: Seen) -> Report | None:
        found = swallowed(fetched.dataset, seen.equal)
        if found is None or len(found.rows) < CONFIRMED:
            return None
        rows = ", ".join(map(str, found.rows[:5]))
        count, name = len(seen.rows), name_of(fetched.dataset)
        return Report(
            "Samples replaced after errors",
            f"Samples replaced after errors: {len(seen.equal):,} of the {count:,} samples of {name} seen so "
            f"far ({share(len(seen.equal) / count)}) are equal to another one. Asked again for {rows}, it "
            f"catches {found.error} at line {found.place.line} and gives something else.",
            place=found.place,
            value=len(seen.equal) / count,
            threshold=self.settings["share"],
            next=[
                "Leave out what can't be read when the data set is made, or let the error come out.",
                "At least count such samples: they train the model with others' data twice.",
            ],
            related=[Related(found.place, f"{found.error} is caught here")],
        )


def _samples(batch: Any, rows: int) -> list[Any]:
    """The tensors of a batch with a row for each sample; numbers with a fraction and pictures first."""
    found = [tensor for _, tensor in tensors_in(batch) if tensor.dim() > 1 and tensor.shape[0] == rows]
    return sorted(found, key=lambda tensor: not tensor.is_floating_point())
