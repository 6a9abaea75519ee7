"""Optimizer steps that a GradScaler leaves out one after the other."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from tensorpeek.catalogue import conditions
from tensorpeek.probe.conditions.condition import Condition
from tensorpeek.probe.training.device_values import is_at_hand
from tensorpeek.probe.training.figures import figure, listed
from tensorpeek.probe.training.moments import Step
from tensorpeek.probe.training.parameters import with_gradients
from tensorpeek.probe.training.report import Report


class StepSkipped(Condition):
    info = conditions.STEP_SKIPPED

    def __init__(self, settings: Mapping[str, float]) -> None:
        super().__init__(settings)
        self._skipped: dict[int, int] = {}
        """Steps of each optimizer that were left out, by its id."""
        self._taken: dict[int, int] = {}
        """Steps that it had taken when it last left one out."""
        self._in_a_row: dict[int, int] = {}

    def on_skip(self, step: Step) -> Report | None:
        key = id(step.optimizer)
        taken = step.training.clock.steps_of(step.optimizer)
        self._skipped[key] = self._skipped.get(key, 0) + 1
        self._in_a_row[key] = self._in_a_row.get(key, 0) + 1 if self._taken.get(key) == taken else 1
        self._taken[key] = taken
        # A scaler begins with a scale that is too large on purpose, and finds the right one by skipping.
        if (
            self._in_a_row[key] < self.whole("window")
            or taken + self._skipped[key] <= self.settings["warmup"]
        ):
            return None
        rows, self._in_a_row[key] = self._in_a_row[key], 0
        torch = sys.modules["torch"]
        bad = [
            each.name
            for each in with_gradients(step)
            if is_at_hand(each.parameter) and not bool(torch.isfinite(each.parameter.grad).all())
        ]
        where = f" Not finite: {listed(f'{name}.grad' for name in bad)}." if bad else ""
        small = step.scale <= 1
        at = f" at a scale of {figure(step.scale)}" if step.scale != 1 else ""
        return Report(
            "Optimizer step skipped",
            f"Optimizer step skipped: the GradScaler has left out {rows:,} steps in a row, since gradients "
            "are not "
            f"finite{at}.{where} The model has not learned from these batches.",
            value=float(rows),
            threshold=self.settings["window"],
            next=[
                "The scale is not the cause any more: look for the operation that makes the first NaN or Inf."
                if small
                else "If the scale keeps falling, look for the operation that makes the first NaN or Inf.",
                "Tick “NaN or Inf in the loss” and “NaN or Inf in gradients” to be stopped at it.",
            ],
        )
