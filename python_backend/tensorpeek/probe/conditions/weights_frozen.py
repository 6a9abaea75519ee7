"""Weights that get gradients and steps and do not change."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from tensorpeek.catalogue import conditions
from tensorpeek.probe.conditions.condition import Condition
from tensorpeek.probe.conditions.missing_step import MissingStep
from tensorpeek.probe.conditions.near_loss import place_of_loss
from tensorpeek.probe.training.figures import count, figure, listed
from tensorpeek.probe.training.graph import graph_of
from tensorpeek.probe.training.moments import Loss, Step
from tensorpeek.probe.training.parameters import (
    is_matrix,
    learning_rate,
    place_of_parameter,
    trained,
    with_gradients,
)
from tensorpeek.probe.training.places import Place
from tensorpeek.probe.training.report import Related, Report
from tensorpeek.probe.training.updates import Update, keep_weights, sample, updates

SHARE = 0.5
"""Of the elements with a gradient, which must all stand still before it is the whole model that does."""
ROWS_OF_A_SCHEDULE = 30
"""Measured steps at the beginning for which a schedule may keep the learning rate at zero."""
APART = " The graph of the loss, made here, leads to none of them."
NO_GRADIENTS = 5
"""Steps in a row that find no gradient at all."""


class WeightsFrozen(Condition):
    info = conditions.WEIGHTS_FROZEN
    samples = frozenset({"on_gradients", "on_update"})

    def __init__(self, settings: Mapping[str, float]) -> None:
        super().__init__(settings)
        self._still: dict[str, int] = {}
        """Measured steps of each parameter that has never moved."""
        self._moved: set[str] = set()
        self._told: set[str] = set()
        self._without_rate: dict[int, int] = {}
        """Measured steps in a row with a learning rate of 0, by the optimizer's id."""
        self._had_rate: set[int] = set()
        self._first_rates: dict[int, float] = {}
        self._missing = MissingStep()
        self._backwards = 0
        """Since the last step that was looked at."""
        self._loss = 0.0
        self._empty = 0
        self._apart: Place | None = None
        """Where the loss was made, if no parameter of an optimizer is in its graph."""
        self._zero = 0
        self._had_gradients = False

    def on_loss(self, loss: Loss) -> Report | None:
        self._backwards += 1
        self._loss = loss.value if loss.value is not None else 1.0
        if self._empty:
            self._apart = _made_apart(loss)
        return self._missing.on_loss(loss)

    def on_end(self) -> Report | None:
        return self._missing.on_end()

    def on_gradients(self, step: Step) -> Report | None:
        self._missing.is_stepping = True
        if with_gradients(step):
            self._empty = 0
            keep_weights(step)
            return None
        return self._no_gradient(step)

    def on_skip(self, step: Step) -> None:
        self._missing.is_stepping = True

    def on_update(self, step: Step) -> Report | None:
        found = updates(step)
        rates = [rate for group in step.optimizer.param_groups if (rate := learning_rate(group)) is not None]
        report = self._no_rate(step, rates)
        if found and report is None:
            report = self._all_zero(step, found)
            if rates and max(rates) > 0:
                report = report or self._no_change(step, found, max(rates))
        self._backwards = 0
        return report

    def _no_gradient(self, step: Step) -> Report | None:
        every = trained(step)
        if not self._backwards or not any(each.parameter.requires_grad for each in every):
            return None
        if any(each.parameter.grad is not None for each in every):
            return None  # there are some, of a kind that is not looked into
        self._empty += 1
        self._backwards = 0
        if self._empty != NO_GRADIENTS:
            return None  # not yet, or told already
        return Report(
            "No gradient at the step",
            "No gradient at the step: backward() runs, but at step() none of the optimizer's "
            f"{count(len(every), 'parameter')} has a gradient, {NO_GRADIENTS} times in a row. The weights do "
            f"not change.{APART if self._apart else ''}",
            place=self._apart,
            next=[
                "Call zero_grad() before backward(), not between backward() and step().",
                "If it is called there, see whether the loss depends on these parameters at all: detach(), "
                ".data, .item() and torch.no_grad() cut the graph.",
            ],
            evidence=[f"{each.name}.grad is None" for each in every[:20]],
        )

    def _no_rate(self, step: Step, rates: list[float]) -> Report | None:
        key = id(step.optimizer)
        if not rates or max(rates) > 0:
            if rates:
                self._had_rate.add(key)
            self._without_rate[key] = 0
            return None
        self._without_rate[key] = self._without_rate.get(key, 0) + 1
        is_scheduled = any("initial_lr" in group for group in step.optimizer.param_groups)
        window = self.whole("window")
        if is_scheduled and key not in self._had_rate:
            window = max(window, ROWS_OF_A_SCHEDULE)
        if self._without_rate[key] != window:
            return None  # not yet, or told already
        rows = self._without_rate[key]
        over = ""
        if key in self._had_rate:
            over = " Its schedule has ended there."
        elif is_scheduled:
            over = " Its schedule has kept it there from the first step on."
        return Report(
            "Weights not changing",
            f"Weights not changing: the learning rate of the optimizer is 0, for {rows:,} measured "
            f"steps.{over}",
            value=0.0,
            next=[
                "Look at the scheduler: it may count batches where epochs are meant, or have run to its end."
            ],
        )

    def _all_zero(self, step: Step, found: list[Update]) -> Report | None:
        if self._had_gradients or any(update.pulled for update in found):
            self._had_gradients = True
            return None
        self._zero = self._zero + 1 if self._backwards and self._loss != 0 else 0
        rows = self._zero
        if rows != self.whole("window"):
            return None  # not yet, or told already
        zeros = [each for each in trained(step) if is_matrix(each.parameter) and not each.parameter.any()]
        both = f" {listed(each.name for each in zeros)} are zero themselves." if len(zeros) > 1 else ""
        places = [place for each in zeros if (place := place_of_parameter(step, each)) is not None]
        related = [Related(place, "zero from here on") for place in dict.fromkeys(places)] if both else []
        return Report(
            "All gradients are zero",
            f"All gradients are zero: at step() each of {count(len(found), 'gradient')} is exactly 0 for "
            f"{rows:,} measured steps, though backward() runs and the loss is {figure(self._loss)}.{both}",
            related=related,
            next=["Of two factors only one may begin as zero: each gets its gradient through the other."]
            * bool(both)
            + [
                "Call zero_grad() before backward(), not between backward() and step().",
                "If it is called there, no unit on the way is alive: a ReLU may be negative for every input.",
            ],
        )

    def _no_change(self, step: Step, found: list[Update], rate: float) -> Report | None:
        # A warm-up begins with steps that may be too small to be seen.
        rising = rate > self._first_rates.setdefault(id(step.optimizer), rate)
        for update in found:
            if update.moved:
                self._moved.add(update.name)
                self._still.pop(update.name, None)
            elif update.pulled and update.name not in self._moved:
                self._still[update.name] = self._still.get(update.name, 0) + 1
        if rising:
            self._still.clear()
        window = self.whole("window")
        still = [
            update
            for update in found
            if self._still.get(update.name, 0) >= window and update.name not in self._told
        ]
        pulled = sum(update.pulled for update in found)
        whole = sum(update.pulled for update in still) >= SHARE * pulled
        lost = [update for update in still if is_matrix(update.trained.parameter) and _eps(update) > 1e-4]
        if not still or not (whole or lost):
            return None
        shown = still if whole else lost
        rows = max(self._still[update.name] for update in shown)
        self._told.update(update.name for update in shown)
        return self._report(step, shown, rows, rate)

    def _report(self, step: Step, still: list[Update], rows: int, rate: float) -> Report:
        first = max(still, key=lambda update: update.pulled)
        parameter = first.trained.parameter
        dtype = str(parameter.dtype).removeprefix("torch.")
        size = first.before / max(_sampled(parameter), 1) ** 0.5
        eps = _eps(first)
        least = eps / 2 * size
        low = dtype in ("bfloat16", "float16")
        names = listed(update.name for update in still)
        steps = f"{rows:,} measured steps"
        cure = (
            "Keep float32 master weights: leave the model in float32 and use torch.autocast for the forward."
            if low
            else "Raise the learning rate."
        )
        return Report(
            "Weights not changing",
            f"Weights not changing: {names} ({dtype}) had a gradient in each of {steps}, and 0 of "
            f"{count(_sampled(parameter), 'element')} looked at changed. Weights of about {figure(size)} "
            f"take in {dtype} no update below {figure(least)} (|update|/|weight| < {figure(eps / 2)}), and "
            f"with a learning rate of {figure(rate)} each update is lost in rounding.",
            module=first.name.rpartition(".")[0],
            value=0.0,
            threshold=least,
            evidence=[
                f"{update.name}: {update.pulled:,} elements with a gradient, {update.moved:,} changed"
                for update in still[:20]
            ],
            next=[cure],
            values={f"{first.name}.grad": parameter.grad} if parameter.grad is not None else {},
        )


def _made_apart(loss: Loss) -> Place | None:
    held = {
        id(parameter)
        for optimizer in loss.training.optimizers
        for group in optimizer.param_groups
        for parameter in group["params"]
    }
    return None if any(id(leaf) in held for leaf in graph_of(loss).leaves()) else place_of_loss(loss)


def _sampled(parameter: Any) -> int:
    return sample(parameter).numel()


def _eps(update: Update) -> float:
    return sys.modules["torch"].finfo(update.trained.parameter.dtype).eps
