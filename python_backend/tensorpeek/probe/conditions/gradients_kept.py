"""zero_grad() is missing: each backward pass adds to gradients that a step has already used."""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field
from typing import Any

from tensorpeek.catalogue import conditions
from tensorpeek.probe.conditions.condition import Condition
from tensorpeek.probe.training.moments import Loss, Step
from tensorpeek.probe.training.report import Report

MOST_WATCHED = 3
"""Gradients per optimizer that are looked at; zero_grad() treats all of them alike."""


@dataclass
class Watched:
    """A gradient as it was when the step was over."""

    parameter: weakref.ref[Any]
    gradient: weakref.ref[Any]
    version: int
    was_cleared: bool = False


@dataclass
class Kept:
    """What is known of one optimizer."""

    chosen: list[weakref.ref[Any]] = field(default_factory=list)
    """The smallest parameters that get gradients."""
    watched: list[Watched] = field(default_factory=list)
    in_a_row: int = 0
    is_told: bool = False
    steps: int = 0


class GradientsKept(Condition):
    """A gradient is kept when it is the same tensor as after the last step, nothing wrote to it before the
    first backward pass that adds to it, and the optimizer then uses the sum. That a second optimizer leaves
    it alone for a while, as in a GAN, is no fault: it only has to be cleared at some time before its own next
    step.
    """

    info = conditions.GRADIENTS_KEPT

    def __init__(self, settings: Any) -> None:
        super().__init__(settings)
        self._optimizers: weakref.WeakKeyDictionary[Any, Kept] = weakref.WeakKeyDictionary()

    def on_loss(self, loss: Loss) -> None:
        for kept in self._optimizers.values():
            for each in kept.watched:
                if not each.was_cleared and _is_cleared(each):
                    each.was_cleared = True

    def on_gradients(self, step: Step) -> Report | None:
        kept = self._optimizers.setdefault(step.optimizer, Kept())
        used = [each for each in kept.watched if _has_grown(each)]
        if used and not any(each.was_cleared for each in used):
            kept.in_a_row += 1
        elif used or not kept.watched:
            kept.in_a_row = 0
        if kept.in_a_row < self.settings["window"] or kept.is_told:
            return None
        kept.is_told = True
        count = sum(len(group["params"]) for group in step.optimizer.param_groups)
        return Report(
            "Gradients never cleared",
            f"The gradients of {type(step.optimizer).__name__}'s {count} parameters still held the last "
            f"step's values when backward() added to them, for {int(self.settings['window'])} steps in a "
            "row: each step uses the sum of all gradients so far. zero_grad() is missing between two steps.",
            value=float(kept.steps),
            evidence=[
                f"step() was called {kept.steps} times; no zero_grad() took effect between the last ones"
            ],
            next=[
                "Call optimizer.zero_grad() before each backward(), or after each step().",
                "To accumulate over several batches, call step() and zero_grad() together every k batches.",
            ],
        )

    def on_update(self, step: Step) -> None:
        kept = self._optimizers.setdefault(step.optimizer, Kept())
        kept.steps += 1
        kept.watched = _watch(kept.chosen)
        if not kept.watched:
            kept.chosen = _choose(step.optimizer)
            kept.watched = _watch(kept.chosen)


def _choose(optimizer: Any) -> list[weakref.ref[Any]]:
    found = [
        parameter
        for group in optimizer.param_groups
        for parameter in group["params"]
        if parameter.grad is not None and not parameter.grad.is_sparse
    ]
    return [weakref.ref(parameter) for parameter in sorted(found, key=_size)[:MOST_WATCHED]]


def _size(parameter: Any) -> int:
    return int(parameter.numel())


def _watch(chosen: list[weakref.ref[Any]]) -> list[Watched]:
    found: list[Watched] = []
    for reference in chosen:
        parameter = reference()
        gradient = parameter.grad if parameter is not None else None
        if gradient is not None:
            found.append(Watched(reference, weakref.ref(gradient), gradient._version))
    return found


def _is_cleared(each: Watched) -> bool:
    """Whether the gradient was set to None, replaced, or zeroed in place since the step."""
    parameter, gradient = each.parameter(), each.gradient()
    if parameter is None or gradient is None or parameter.grad is not gradient:
        return True
    if gradient._version == each.version:
        return False
    # Written to: by zero_grad(), or by the backward pass of an earlier micro-batch. Only its values tell,
    # and those
    # of another device would have to be waited for.
    return gradient.device.type != "cpu" or not bool(gradient.any())


def _has_grown(each: Watched) -> bool:
    """Whether backward passes have written to what the optimizer uses now, cleared before or not."""
    parameter, gradient = each.parameter(), each.gradient()
    if parameter is None or parameter.grad is None:
        return False
    return gradient is None or parameter.grad is not gradient or gradient._version != each.version
