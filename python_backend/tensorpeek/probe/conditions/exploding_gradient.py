"""Gradients that are far above their last values, or huge in any case."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from tensorpeek.catalogue import conditions
from tensorpeek.probe.conditions.condition import Condition
from tensorpeek.probe.training.figures import figure
from tensorpeek.probe.training.moments import Step
from tensorpeek.probe.training.norms import gradient_norms, weight_norms
from tensorpeek.probe.training.parameters import is_adaptive, is_late, learning_rate
from tensorpeek.probe.training.report import Report
from tensorpeek.probe.training.series import Spike, SpikeFound

SPREADS = 8
"""Above the usual norm, which an explosion is at least: norms of small batches vary by themselves."""
ABOVE_FIRST = 4
"""Times the norm at the beginning: gradients that were almost nothing may grow back."""
FATAL = 1e12
"""Times the allowed norm: squared by an adaptive optimizer, it overflows float32."""
KEPT = 100


class Norms:
    """The gradient norms of one optimizer."""

    def __init__(self, window: int, warmup: int) -> None:
        self.spike = Spike(SPREADS, window, warmup)
        self.each: dict[str, float] = {}
        """A slow average of every parameter's norm."""
        self.first = 0.0
        """The usual norm when the warm-up ended."""

    def add(self, whole: float, each: Mapping[str, float]) -> SpikeFound | None:
        found = self.spike.add(whole)
        if self.spike.seen == self.spike.warmup:
            self.first = sorted(self.spike.values)[len(self.spike.values) // 2]
        for name, norm in each.items():
            self.each[name] = norm if name not in self.each else 0.9 * self.each[name] + 0.1 * norm
        return found


class ExplodingGradient(Condition):
    info = conditions.EXPLODING_GRADIENT
    samples = frozenset({"on_gradients"})

    def __init__(self, settings: Mapping[str, float]) -> None:
        super().__init__(settings)
        self._norms: dict[int, Norms] = {}
        """By the optimizer's id."""

    def on_gradients(self, step: Step) -> Report | None:
        each = gradient_norms(step)
        whole = math.hypot(*each.values()) if each else math.nan
        if not math.isfinite(whole):
            return None
        norms = self._norms_of(step.optimizer)
        usual_of_each = dict(norms.each)
        found = norms.add(whole, each)
        limit = max(self.settings["factor"] * found.usual, ABOVE_FIRST * norms.first) if found else math.inf
        if found is not None and 0 < limit < whole:
            cause = (
                f"{figure(whole)}, {figure(whole / found.usual)} times the usual {figure(found.usual)} "
                f"of the last {len(norms.spike.values) - 1} measured steps "
                f"(factor={self.settings['factor']:g})"
            )
        elif whole >= self.settings["norm"] and self._is_harmful(step, whole):
            limit = self.settings["norm"]
            cause = f"{figure(whole)}, more than {figure(limit)} (norm={limit:g})"
        else:
            return None
        return self._report(step, usual_of_each, [*norms.spike.values], limit, cause, each)

    def _norms_of(self, optimizer: Any) -> Norms:
        norms = self._norms.get(id(optimizer))
        if norms is None:
            norms = self._norms[id(optimizer)] = Norms(self.whole("window"), self.whole("warmup"))
        return norms

    def _is_harmful(self, step: Step, whole: float) -> bool:
        """Whether a huge norm moves the weights: an adaptive optimizer divides it out again."""
        if whole >= FATAL:
            return True
        if is_adaptive(step.optimizer):
            return False
        rate = learning_rate(step.optimizer.param_groups[0])
        weights = math.hypot(*weight_norms(step).values())
        return rate is None or rate * whole > weights

    def _report(
        self,
        step: Step,
        usual: Mapping[str, float],
        history: list[float],
        limit: float,
        cause: str,
        each: Mapping[str, float],
    ) -> Report:
        ratios = {name: norm / usual[name] for name, norm in each.items() if usual.get(name, 0.0) > 0}
        worst = max(ratios or each, key=lambda name: (ratios or each)[name])
        by_size = sorted(each, key=lambda name: -each[name])[:10]
        growth = f", {figure(ratios[worst])} times its usual norm" if worst in ratios else ""
        return Report(
            "Exploding gradient",
            f"Exploding gradient: the norm of all gradients is {cause}. `{worst}` has grown most, to "
            f"{figure(each[worst])}{growth}. " + _when(step),
            module=worst.rpartition(".")[0],
            value=history[-1],
            threshold=limit,
            history=history[-KEPT:],
            evidence=[f"{name}: norm {figure(each[name])}" for name in by_size],
            next=[
                "Clip the gradients before the step: torch.nn.utils.clip_grad_norm_(parameters, 1.0).",
                "Lower the learning rate, or skip this step and look at the batch.",
            ],
        )


def _when(step: Step) -> str:
    if is_late(step):
        return "That was read from the device one step late: the optimizer has taken that step."
    return "The optimizer has not taken this step."
