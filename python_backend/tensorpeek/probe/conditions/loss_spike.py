"""A loss that jumps far above its last values."""

from __future__ import annotations

import math
from collections.abc import Mapping

from tensorpeek.catalogue import conditions
from tensorpeek.probe.conditions.condition import Condition
from tensorpeek.probe.training.figures import figure
from tensorpeek.probe.training.moments import Loss
from tensorpeek.probe.training.report import Report
from tensorpeek.probe.training.series import Spike

UNTIMELY = "It was read from the device one step late, so the weights have been changed since."
LEAST_SETBACK = 0.05
"""Of the level at which the loss began: smaller jumps of a loss that is almost nothing undo no progress."""


class LossSpike(Condition):
    info = conditions.LOSS_SPIKE

    def __init__(self, settings: Mapping[str, float]) -> None:
        super().__init__(settings)
        self._spikes: dict[tuple[str, int], Spike] = {}
        """By the loss's name and the model's identity: one training may follow another."""
        self._beginnings: dict[tuple[str, int], float] = {}
        """The level of each loss when its warm-up ended."""

    def on_loss(self, loss: Loss) -> Report | None:
        value = loss.value
        if value is None or not math.isfinite(value):
            return None
        record = loss.training.record
        key = (loss.name, id(record.module) if record is not None else 0)
        spike = self._spikes.get(key)
        if spike is None:
            spike = Spike(self.settings["factor"], self.whole("window"), self.whole("warmup"))
            self._spikes[key] = spike
        found = spike.add(value)
        if spike.seen == spike.warmup:
            self._beginnings[key] = abs(sorted(spike.values)[len(spike.values) // 2])
        if found is None or value - found.usual < LEAST_SETBACK * self._beginnings[key]:
            return None
        return Report(
            "Loss spike",
            f"Loss spike: `{loss.name}` is {figure(value)}, {found.score:.3g} spreads above the usual "
            f"{figure(found.usual)} of its last {len(spike.values) - 1} values. From {figure(found.limit)} "
            f"on it is a spike (factor={self.settings['factor']:g}). "
            + (UNTIMELY if loss.late else "backward() has not run yet."),
            value=value,
            threshold=found.limit,
            history=[*spike.values],
            next=[
                "Look at this batch: one with wrong labels or values makes such a jump.",
                "If the batch is ordinary, lower the learning rate or clip gradients "
                "(torch.nn.utils.clip_grad_norm_).",
            ],
            values={loss.name: loss.tensor} if loss.name.isidentifier() else {},
        )
