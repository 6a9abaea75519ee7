"""A loss that does not fall any more."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

from tensorpeek.catalogue import conditions
from tensorpeek.probe.conditions.condition import Condition
from tensorpeek.probe.training.figures import figure, share
from tensorpeek.probe.training.moments import Loss
from tensorpeek.probe.training.report import Report
from tensorpeek.probe.training.series import Plateau

DONE = 1e-3
"""Of the first value: a loss this small has nowhere to fall."""


class LossPlateau(Condition):
    info = conditions.LOSS_PLATEAU

    def __init__(self, settings: Mapping[str, float]) -> None:
        super().__init__(settings)
        self._plateaus: dict[str, Plateau] = {}
        self._first: dict[str, float] = {}
        self._last: dict[str, deque[float]] = {}

    def on_loss(self, loss: Loss) -> Report | None:
        name, value = loss.name, loss.value
        if value is None:
            return None
        plateau = self._plateaus.get(name)
        if plateau is None:
            plateau = self._plateaus[name] = Plateau(self.whole("window"), self.settings["fall"])
            self._first[name] = value
            self._last[name] = deque(maxlen=100)
        self._last[name].append(value)
        found = plateau.add(value)
        if found is None or abs(found.best) < DONE * abs(self._first[name]):
            return None
        return Report(
            "Loss not decreasing",
            f"Loss not decreasing: `{name}` has not fallen by {share(self.settings['fall'])} for "
            f"{found.steps:,} values. It is {figure(value)}, its lowest level was {figure(found.best)}, and "
            f"what counts as noise is {figure(found.noise)}.",
            value=value,
            threshold=found.best,
            history=[*self._last[name]],
            next=[
                "Train on one batch only: a model that cannot learn even that has a fault in it.",
                "Try the learning rate ten times larger and ten times smaller.",
            ],
        )
