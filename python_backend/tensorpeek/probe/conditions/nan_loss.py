"""NaN or Inf in the loss."""

from __future__ import annotations

import math
from typing import Any

from tensorpeek.catalogue import conditions
from tensorpeek.probe.conditions.condition import Condition
from tensorpeek.probe.training.figures import figure
from tensorpeek.probe.training.moments import Loss
from tensorpeek.probe.training.report import Report

KEPT = 100
TIMELY = "backward() has not run, so gradients and weights are those of the step before."
UNTIMELY = "It was read from the device one step late, so the weights have been changed since."


class NanLoss(Condition):
    info = conditions.NAN_LOSS

    def on_loss(self, loss: Loss) -> Report | None:
        value = loss.value
        if value is None or math.isfinite(value):
            return None
        word = "NaN" if math.isnan(value) else "Inf"
        history = list(loss.training.losses.get(loss.name, ()))[-KEPT:]
        finite = [earlier for earlier in history if math.isfinite(earlier)]
        before = f"; the last finite one was {figure(finite[-1])}" if finite else ", from the first step on"
        shown: dict[str, Any] = {loss.name: loss.tensor} if loss.name.isidentifier() else {}
        return Report(
            f"{word} in the loss",
            f"{word} in the loss: `{loss.name}` is {figure(value)} at backward(){before}. "
            + (UNTIMELY if loss.late else TIMELY),
            value=value,
            history=[*finite, value][-KEPT:],
            next=["Skip this step or drop this batch to go on with the weights as they are."],
            values=shown,
            seeks_producer=True,
        )
