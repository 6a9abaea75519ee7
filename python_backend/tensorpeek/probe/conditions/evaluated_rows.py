"""Rows that a model is evaluated with although it was trained with them."""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any

from tensorpeek.probe.conditions.data_names import DataNames, data_names
from tensorpeek.probe.conditions.row_marks import are_individual, are_measured, marks_of
from tensorpeek.probe.training.figures import share
from tensorpeek.probe.training.places import Place, place_of
from tensorpeek.probe.training.report import Related, Report
from tensorpeek.probe.training.user_values import user_frames

MOST_TRAINED = 100_000
"""Rows that are remembered."""
MOST_LOOKS = 64
"""Calls of an evaluation that are looked at for one model."""
FEWEST_ROWS = 32
FEWEST_SHARED = 16
LEAST_SHARE = 0.05
"""Of the evaluated rows: public data sets have a few rows twice."""
MOST_REPEATED = 0.005
"""Of the evaluated rows among themselves. Where rows repeat by nature, they do so across a split too; not so
where they are drawn twice, which measured numbers show.
"""
FRAMES = 3

Where = tuple[tuple[int, int], ...]


@dataclass
class Evaluated:
    """What was seen at one line, called from certain lines."""

    names: DataNames
    place: Place | None
    rows: set[int] = field(default_factory=set)
    shared: int = 0
    repeated: int = 0
    is_measured: bool = True


@dataclass
class Pending:
    """A batch of which it may not be known yet whether a backward pass follows."""

    at: Evaluated
    marks: list[int]
    is_measured: bool


class EvaluatedRows:
    """Of one model at a time: the one that was trained last."""

    def __init__(self) -> None:
        self._model: weakref.ref[Any] | None = None
        self._trained: set[int] = set()
        self._training_names: dict[str, Place] = {}
        self._optimizers: set[int] = set()
        self._pending: Pending | None = None
        self._evaluated: dict[Where, Evaluated] = {}
        self._codes: list[CodeType] = []
        """Kept, since their addresses are keys."""
        self._looks = 0

    def called(
        self, module: Any, tensor: Any, frame: FrameType | None, optimizers: list[Any]
    ) -> Report | None:
        """The model is called with gradients, which is a training step if a backward pass follows.

        The same call may be told of twice.
        """
        marks = marks_of(tensor)
        if self._pending is not None and self._pending.marks == marks:
            return None
        report = self.no_backward_came()
        self._begin_anew_for(module, optimizers)
        if marks is not None and are_individual(tensor):
            self._pending = Pending(self._seen_at(frame), marks, are_measured(tensor))
        return report

    def trained(self) -> None:
        """A backward pass runs: the rows that the model was called with are training rows."""
        pending, self._pending = self._pending, None
        if pending is None or len(self._trained) >= MOST_TRAINED:
            return
        names = pending.at.names
        if not names.is_evaluation:  # to adapt to test data is an aim of some
            self._trained.update(pending.marks)
            self._training_names.update(names.places)

    def no_backward_came(self) -> Report | None:
        """The call before was one of evaluation."""
        pending, self._pending = self._pending, None
        return self._judge(pending) if pending is not None else None

    def evaluated(self, module: Any, tensor: Any, frame: FrameType | None) -> Report | None:
        """The model is called without gradients."""
        model = self._model() if self._model is not None else None
        if model is not module or not self._trained or self._looks >= MOST_LOOKS:
            return None
        self._looks += 1
        marks = marks_of(tensor)
        if marks is None or not are_individual(tensor):
            return None
        return self._judge(Pending(self._seen_at(frame), marks, are_measured(tensor)))

    def _judge(self, call: Pending) -> Report | None:
        seen = call.at
        if not seen.names.is_evaluation:
            return None
        seen.is_measured = seen.is_measured and call.is_measured
        for mark in call.marks:
            seen.repeated += mark in seen.rows
            seen.shared += mark in self._trained and mark not in seen.rows
            seen.rows.add(mark)
        count = len(seen.rows)
        if count < FEWEST_ROWS or seen.shared < max(FEWEST_SHARED, LEAST_SHARE * count):
            return None
        if seen.repeated > MOST_REPEATED * count and not seen.is_measured:
            return None
        return self._report(seen)

    def _report(self, seen: Evaluated) -> Report:
        count = len(seen.rows)
        own = {name: place for name, place in seen.names.places.items() if name not in self._training_names}
        related = [Related(place, f"`{name}` is made here") for name, place in own.items()]
        related += [
            Related(place, f"`{name}`, which is trained with, is made here")
            for name, place in self._training_names.items()
            if name not in seen.names.places
        ]
        return Report(
            "Training rows in an evaluation",
            f"Training rows in an evaluation: {seen.shared:,} of the {count:,} rows that the model is "
            f"evaluated with here ({share(seen.shared / count)}) are rows that it was trained with, equal in "
            "each number. What is measured with them is not how the model does on new data.",
            place=seen.place,
            value=seen.shared / count,
            threshold=LEAST_SHARE,
            next=[
                "Split once, so that each row is in one part: a permutation cut in two, or random_split().",
                "Rows that are in the data twice have to go before the split.",
            ],
            related=related[:8],
        )

    def _begin_anew_for(self, module: Any, optimizers: list[Any]) -> None:
        """Another model, or another optimizer for it as in the next fold: what was trained counts no more."""
        known = self._model() if self._model is not None else None
        present = set(map(id, optimizers))
        is_new = bool(self._optimizers) and not present <= self._optimizers
        self._optimizers |= present
        if known is module and not is_new:
            return
        self._model = weakref.ref(module)
        self._trained.clear()
        self._evaluated.clear()
        self._training_names.clear()
        self._looks = 0

    def _seen_at(self, frame: FrameType | None) -> Evaluated:
        frames = list(user_frames(frame))[:FRAMES]
        where = tuple((id(each.f_code), each.f_lasti) for each in frames)
        seen = self._evaluated.get(where)
        if seen is None:
            self._codes += [each.f_code for each in frames]
            seen = self._evaluated[where] = Evaluated(data_names(frame), place_of(frame))
        return seen
