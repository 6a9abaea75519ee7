"""Steps that change the weights by far too much or far too little."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping

from tensorpeek.catalogue import conditions
from tensorpeek.probe.conditions.condition import Condition
from tensorpeek.probe.training.figures import figure, share
from tensorpeek.probe.training.moments import Loss, Step
from tensorpeek.probe.training.parameters import is_matrix, learning_rate
from tensorpeek.probe.training.report import Report
from tensorpeek.probe.training.updates import Update, keep_weights, updates, whole_ratio

SETBACK = 2.0
"""Times the first loss: where training has not become worse, its steps are not too large."""
FADED = 0.3
"""Of the measured steps, in which a learning rate that has become nothing must have stayed so."""
FADED_RATE = 1e-4
"""Of the first learning rate, which is nothing."""
FADED_PROGRESS = 0.7
"""Of the first loss: where it has fallen by that much, a learning rate may fade out."""
PROGRESS = 0.02
"""Of the first loss: where it has fallen by that much, steps are not too small."""


class UpdateSize(Condition):
    info = conditions.UPDATE_SIZE
    samples = frozenset({"on_gradients", "on_update"})

    def __init__(self, settings: Mapping[str, float]) -> None:
        super().__init__(settings)
        self._ratios: dict[int, deque[float]] = {}
        """Of the last measured steps, by the optimizer's id."""
        self._largest: dict[int, float] = {}
        self._measured: dict[int, int] = {}
        self._small: dict[int, int] = {}
        """Measured steps in a row that were too small."""
        self._known: set[tuple[int, str]] = set()
        """What was told of each optimizer; once is enough."""
        self._rates: dict[int, float] = {}
        """The learning rate of the first measured step."""
        self._losses: deque[float] = deque(maxlen=max(self.whole("window"), 3))
        self._first_loss: float | None = None
        self._name = ""
        """Of the loss that is watched; others have other scales."""

    def on_loss(self, loss: Loss) -> None:
        if loss.value is None:
            return
        if self._first_loss is None:
            self._first_loss, self._name = loss.value, loss.name
        if loss.name == self._name:
            self._losses.append(loss.value)

    def on_gradients(self, step: Step) -> None:
        keep_weights(step)

    def on_update(self, step: Step) -> Report | None:
        found = [each for each in updates(step) if is_matrix(each.trained.parameter)]
        if not found:
            return None
        key = id(step.optimizer)
        ratio = whole_ratio(found)
        if not math.isfinite(ratio):
            return None
        ratios = self._ratios.setdefault(key, deque(maxlen=self.whole("window")))
        ratios.append(ratio)
        self._measured[key] = self._measured.get(key, 0) + 1
        self._small[key] = self._small.get(key, 0) + 1 if ratio < self.settings["smallest"] else 0
        self._largest[key] = max(self._largest.get(key, 0.0), ratio)
        rate = learning_rate(step.optimizer.param_groups[0]) or 0.0
        self._rates.setdefault(key, rate)
        if (key, "large") not in self._known and self._is_too_large(key):
            self._known.add((key, "large"))
            return self._too_large(step, found, ratios)
        if (key, "small") in self._known:
            return None
        if self._is_too_small(key, rate, found):
            self._known.add((key, "small"))
            return self._too_small(step, found, ratios)
        if self._has_faded(key, rate):
            self._known.add((key, "small"))
            return self._faded(step, found, ratio, rate)
        return None

    def _is_too_large(self, key: int) -> bool:
        """Large steps are a fault where the loss gets worse by them."""
        first, ratios = self._first_loss, self._ratios[key]
        if first is None or len(self._losses) < 3 or max(ratios) < self.settings["largest"]:
            return False
        losses = sorted(self._losses)
        now = losses[len(losses) // 2]
        return now > first + (SETBACK - 1) * abs(first) and self._losses[-1] > first

    def _is_too_small(self, key: int, rate: float, found: list[Update]) -> bool:
        """No step of the run was larger, and it is no warm-up: that ends with a larger learning rate."""
        first = self._first_loss
        if (
            self._measured[key] < self.settings["warmup"] + self.whole("window")
            or self._largest[key] > self.settings["smallest"]
            or self._largest[key] == 0.0  # nothing changes at all: weights-frozen says more
            or rate > self._rates[key]
            or first is None
            or not self._losses
            or sum(update.pulled for update in found) == 0
        ):
            return False
        losses = sorted(self._losses)
        return losses[len(losses) // 2] > first - PROGRESS * abs(first)

    def _has_faded(self, key: int, rate: float) -> bool:
        """The learning rate has become nothing long before the loss has fallen: a schedule runs too fast."""
        first = self._first_loss
        small = self._small[key]
        if (
            small < max(3 * self.whole("window"), FADED * self._measured[key])
            or not 0 < rate < FADED_RATE * self._rates[key]
            or first is None
            or not self._losses
        ):
            return False
        losses = sorted(self._losses)
        return losses[len(losses) // 2] > first - FADED_PROGRESS * abs(first)

    def _too_large(self, step: Step, found: list[Update], ratios: deque[float]) -> Report:
        largest = max(ratios)
        rate = learning_rate(step.optimizer.param_groups[0])
        worst = max(found, key=lambda each: each.ratio)
        return Report(
            "Update too large",
            f"Update too large: a step changed the weights by {share(largest)} of their size "
            f"(largest={self.settings['largest']:g}), and the loss rose from {figure(self._first_loss)} to "
            f"{figure(self._losses[-1])}. Healthy steps change about 0.1 %. The learning rate is "
            f"{figure(rate)}.",
            module=worst.name.rpartition(".")[0],
            value=largest,
            threshold=self.settings["largest"],
            evidence=_rows(found),
            next=[f"Lower the learning rate, to {figure((rate or 1.0) / 100)} for a start."],
        )

    def _too_small(self, step: Step, found: list[Update], ratios: deque[float]) -> Report:
        rate = learning_rate(step.optimizer.param_groups[0])
        return Report(
            "Update too small",
            f"Update too small: in {self._measured[id(step.optimizer)]:,} measured steps none changed the "
            f"weights by more than {figure(self._largest[id(step.optimizer)])} of their size "
            f"(smallest={self.settings['smallest']:g}), and the loss stays at {figure(self._losses[-1])}. "
            f"Healthy steps change about 0.001. The learning rate is {figure(rate)}.",
            value=ratios[-1],
            threshold=self.settings["smallest"],
            history=[*ratios],
            evidence=_rows(found),
            next=["Raise the learning rate, by powers of ten, until the loss falls."],
        )

    def _faded(self, step: Step, found: list[Update], ratio: float, rate: float) -> Report:
        key = id(step.optimizer)
        return Report(
            "Update too small",
            f"Update too small: the learning rate has fallen from {figure(self._rates[key])} to "
            f"{figure(rate)}, and for {self._small[key]:,} measured steps no step changed the weights by "
            f"more than {figure(self.settings['smallest'])} of their size "
            f"(smallest={self.settings['smallest']:g}). The loss is still {figure(self._losses[-1])}, it "
            f"began with {figure(self._first_loss)}.",
            value=ratio,
            threshold=self.settings["smallest"],
            evidence=_rows(found),
            next=[
                "Look at where the scheduler's step() is called: per batch where its settings mean epochs?"
            ],
        )


def _rows(found: list[Update]) -> list[str]:
    return [f"{each.name}: changed by {figure(each.ratio)} of its size" for each in found[:20]]
