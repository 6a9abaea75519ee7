"""Gradients that are far above their last values, or huge in any case."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping

from tensorpeek.catalogue import conditions
from tensorpeek.probe.conditions.condition import Condition
from tensorpeek.probe.training.figures import figure
from tensorpeek.probe.training.moments import Step
from tensorpeek.probe.training.norms import gradient_norms, weight_norms
from tensorpeek.probe.training.parameters import is_adaptive, is_late, learning_rate
from tensorpeek.probe.training.report import Report

ABOVE_HIGHEST = 4
"""Times the largest norm of the window, which an explosion exceeds too."""
ABOVE_FIRST = 4
"""Times the norm at the beginning: gradients that were almost nothing may grow back."""
FATAL = 1e12
"""Times the allowed norm: squared by an adaptive optimizer, it overflows float32."""
KEPT = 100


class Norms:
    """The gradient norms of one optimizer."""

    def __init__(self, window: int) -> None:
        self.whole: deque[float] = deque(maxlen=max(window, 8))
        self.each: dict[str, float] = {}
        """A slow average of every parameter's norm."""
        self.seen = 0
        self.first = 0.0

    def add(self, whole: float, each: Mapping[str, float]) -> None:
        self.whole.append(whole)
        self.seen += 1
        for name, norm in each.items():
            self.each[name] = norm if name not in self.each else 0.9 * self.each[name] + 0.1 * norm


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
        norms = self._norms.setdefault(id(step.optimizer), Norms(int(self.settings["window"])))
        warm = norms.seen >= self.settings["warmup"]
        limit = self._limit(norms) if warm else math.inf
        is_huge = whole >= self.settings["norm"] and self._is_harmful(step, whole)
        report = None
        if whole > limit:
            usual = sorted(norms.whole)[len(norms.whole) // 2]
            cause = (
                f"{figure(whole)}, {figure(whole / usual)} times the median {figure(usual)} of the last "
                f"{len(norms.whole)} measured steps"
            )
            report = self._report(step, norms, whole, limit, cause, each)
        elif is_huge:
            limit = self.settings["norm"]
            cause = f"{figure(whole)}, more than {figure(limit)} (norm={limit:g})"
            report = self._report(step, norms, whole, limit, cause, each)
        norms.add(whole, each)
        if norms.seen == max(int(self.settings["warmup"]), 1):
            norms.first = sorted(norms.whole)[len(norms.whole) // 2]
        return report

    def _limit(self, norms: Norms) -> float:
        ordered = sorted(norms.whole)
        usual = ordered[len(ordered) // 2]
        if usual <= 0:
            return math.inf
        # The newest norms may already be part of the explosion.
        settled = sorted([*norms.whole][: -(len(norms.whole) // 5)])
        highest = settled[-1]
        return max(self.settings["factor"] * usual, ABOVE_HIGHEST * highest, ABOVE_FIRST * norms.first)

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
        self, step: Step, norms: Norms, whole: float, limit: float, cause: str, each: Mapping[str, float]
    ) -> Report:
        ratios = {
            name: norm / norms.each[name] for name, norm in each.items() if norms.each.get(name, 0.0) > 0
        }
        worst = max(ratios or each, key=lambda name: (ratios or each)[name])
        by_size = sorted(each, key=lambda name: -each[name])[:10]
        growth = f", {figure(ratios[worst])} times its usual norm" if worst in ratios else ""
        return Report(
            "Exploding gradient",
            f"Exploding gradient: the norm of all gradients is {cause}. "
            f"`{worst}` has grown most, to {figure(each[worst])}{growth}. " + _when(step),
            module=worst.rpartition(".")[0],
            value=whole,
            threshold=limit,
            history=[*norms.whole, whole][-KEPT:],
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
