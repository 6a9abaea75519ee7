"""What is to test the model has gone into its training: rows of it, or its statistics."""

from __future__ import annotations

from collections.abc import Mapping
from types import FrameType
from typing import Any

from tensorpeek.catalogue import conditions
from tensorpeek.probe.conditions.condition import Condition
from tensorpeek.probe.conditions.evaluated_rows import EvaluatedRows
from tensorpeek.probe.conditions.whole_set_statistics import scaled_before_split
from tensorpeek.probe.training import source
from tensorpeek.probe.training.moments import Batch, Evaluation, Loss
from tensorpeek.probe.training.report import Related, Report
from tensorpeek.probe.training.tensors_in import tensors_of_call


class DataLeak(Condition):
    info = conditions.DATA_LEAK
    samples = frozenset({"on_batch"})

    def __init__(self, settings: Mapping[str, float]) -> None:
        super().__init__(settings)
        self._rows = EvaluatedRows()
        self._told_rows = False
        self._has_read = False

    def on_batch(self, batch: Batch) -> Report | None:
        if self._told_rows:
            return None
        tensor = _first(batch)
        return self._of_rows(self._rows.called(batch.module, tensor, batch.frame, batch.training.optimizers))

    def on_evaluation(self, evaluation: Evaluation) -> Report | None:
        if self._told_rows:
            return None
        tensor, training = _first(evaluation), evaluation.training
        if evaluation.has_gradients:
            return self._of_rows(
                self._rows.called(evaluation.module, tensor, evaluation.frame, training.optimizers)
            )
        return self._of_rows(self._rows.evaluated(evaluation.module, tensor, evaluation.frame))

    def on_loss(self, loss: Loss) -> Report | None:
        self._rows.trained()
        if self._has_read:
            return None
        self._has_read = True
        return _of_statistics(loss.frame)

    def on_end(self) -> Report | None:
        return None if self._told_rows else self._of_rows(self._rows.no_backward_came())

    def _of_rows(self, report: Report | None) -> Report | None:
        self._told_rows = self._told_rows or report is not None
        return report


def _first(call: Batch | Evaluation) -> Any:
    return next((tensor for _, tensor in tensors_of_call(call.args, call.kwargs)), None)


def _of_statistics(frame: FrameType | None) -> Report | None:
    """Told as a warning: the text says so, and how much it matters it does not say."""
    for path in source.user_files(frame, []):
        found = scaled_before_split(path)
        if found is None:
            continue
        return Report(
            "Test data in the statistics",
            f"Test data in the statistics: `{found.name}` is scaled by the {found.statistics} of all its "
            f"rows at line {found.scaled.line}, and only then split into training and test at line "
            f"{found.split.line}. So the training knows of the test rows.",
            place=found.scaled,
            next=["Split first, and take the statistics of the training rows alone for both parts."],
            related=[Related(found.split, "the split")],
            is_warning=True,
        )
    return None
