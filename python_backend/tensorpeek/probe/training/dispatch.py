"""Tells the active conditions of a moment, as often as the budget allows, and collects what they report."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from time import perf_counter
from typing import Any, Callable, NamedTuple

from tensorpeek.probe.conditions.condition import Condition
from tensorpeek.probe.training.active import Active
from tensorpeek.probe.training.overhead import FIRST_STEPS, Budget
from tensorpeek.probe.training.report import Report

METHODS = {
    "batch": "on_batch",
    "module": "on_module",
    "loss": "on_loss",
    "gradients": "on_gradients",
    "update": "on_update",
    "skip": "on_skip",
    "failure": "on_failure",
    "end": "on_end",
}
"""The method of a condition for each kind of moment."""
MODULE_S = 4e-6
"""What torch takes more for a module's call while the conditions are told of it."""
SEGMENTS = 16
"""Forward passes without an optimizer's step after which another step is taken to begin."""
TRIALS = 5
"""So often a method is timed before it may be called slow."""


class Told(NamedTuple):
    active: Active
    method: Callable[..., Report | None]


class Dispatch:
    """The active conditions, sorted by the moments that they want."""

    def __init__(self, budget: Budget, problems: list[str]) -> None:
        self._budget = budget
        self._problems = problems
        self._active: dict[str, Active] = {}
        self._always: dict[str, tuple[Told, ...]] = {}
        """Those told in every step."""
        self._due: dict[str, tuple[Told, ...]] = {}
        """Those told in this step, when it is more than always; empty in an ordinary step."""
        self._next_due = 0.0
        self._is_over = True
        """Whether the optimizer has taken the step that was begun."""
        self._segments = 0
        self._step_seconds = 0.0

    @property
    def conditions(self) -> list[Condition]:
        return [active.condition for active in self._active.values()]

    @property
    def sampled(self) -> list[Active]:
        """Conditions that were left out in some steps, at least in part."""
        return [active for active in self._active.values() if active.left_out]

    def configure(
        self, chosen: Mapping[str, Mapping[str, float]], classes: Mapping[str, type[Condition]]
    ) -> None:
        """A condition whose settings stay keeps what it remembers."""
        first_due = self._budget.first_due(perf_counter())
        active: dict[str, Active] = {}
        for name, settings in chosen.items():
            before = self._active.get(name)
            if before is not None and dict(before.condition.settings) == dict(settings):
                active[name] = before
            elif name in classes:
                active[name] = Active(classes[name](dict(settings)), first_due)
        self._active = active
        self._sort()

    def wants(self, kind: str) -> bool:
        """Whether a condition is to be told of this kind of moment in this step."""
        return bool(self._due.get(kind) or self._always.get(kind))

    def begin(self, step: int, step_seconds: float) -> None:
        """A forward pass begins: chooses the conditions that are due, unless it belongs to the step before."""
        self._segments += 1
        if not self._is_over and self._segments < SEGMENTS:
            return
        self._is_over, self._segments = False, 0
        self._step_seconds = step_seconds
        now = perf_counter()
        if self._due:
            self._settle(now)
        if now < self._next_due and step >= FIRST_STEPS:
            return
        due = [active for active in self._active.values() if active.due <= now or step < FIRST_STEPS]
        for active in self._active.values():
            active.is_due = active in due
            active.left_out = active.left_out or not active.is_due
        self._due = {kind: tuple(self._told_of(kind, due)) for kind in METHODS}

    def over(self) -> None:
        """The optimizer has taken its step."""
        self._is_over = True

    def tell(self, kind: str, moment: Any, step: int) -> list[tuple[Active, Report]]:
        """What is to be reported of a moment."""
        due = self._due.get(kind)
        told = due or self._always.get(kind)
        if not told:
            return []
        found: list[tuple[Active, Report]] = []
        with unobserved(thoroughly=bool(due)):
            for active, method in told:
                begun = perf_counter() if due else 0.0
                try:
                    report = method(moment) if moment is not None else method()
                except Exception as error:  # noqa: BLE001  a condition that fails must not end the program
                    self._switch_off(active, error)
                    continue
                if due:
                    active.took(kind, perf_counter() - begun + (MODULE_S if kind == "module" else 0.0))
                if report is None:
                    active.silent_kinds.discard(kind)
                elif active.may_report(kind, step):
                    active.reported(kind, step)
                    found.append((active, report))
        return found

    def _told_of(self, kind: str, due: list[Active]) -> Iterable[Told]:
        always = self._always.get(kind, ())
        for active in self._active.values():
            if active in due and active.wants(METHODS[kind]):
                yield Told(active, getattr(active.condition, METHODS[kind]))
            else:
                yield from (told for told in always if told.active is active)

    def _settle(self, now: float) -> None:
        """Charges what the conditions of the last measured step have cost."""
        self._due = {}
        sharers = sum(active.samples for active in self._active.values())
        slow = False
        for active in self._active.values():
            if active.is_due:
                active.due = self._budget.next_due(active.due, now, active.cost, max(1, sharers))
                slow = active.find_slow(TRIALS, self._budget, self._step_seconds) or slow
            active.cost = 0.0
        if slow:
            self._sort()
        self._next_due = min((active.due for active in self._active.values() if active.samples), default=0.0)

    def _switch_off(self, active: Active, error: Exception) -> None:
        self._active.pop(active.condition.info.id, None)
        self._sort()
        where = error.__traceback__
        while where is not None and where.tb_next is not None:
            where = where.tb_next
        line = f" ({where.tb_frame.f_code.co_name}, line {where.tb_lineno})" if where is not None else ""
        label = active.condition.info.label
        self._problems.append(f"{label}: switched off after {type(error).__name__}: {error}{line}")

    def _sort(self) -> None:
        active = self._active.values()
        self._always = {
            kind: tuple(
                Told(each, getattr(each.condition, method))
                for each in active
                if each.wants_always(kind, method)
            )
            for kind, method in METHODS.items()
        }
        self._due = {}
        self._next_due, self._is_over = 0.0, True


def unobserved(thoroughly: bool = True) -> ExitStack:
    """Until it is closed, what is computed is seen by neither autograd nor the user's modes.

    Without `thoroughly`, subclasses of tensors still see it: that is cheaper, and enough for a number.
    """
    guards = ExitStack()
    torch = sys.modules.get("torch")
    if torch is None:
        return guards
    core = torch._C
    if torch.is_grad_enabled():
        guards.callback(core._set_grad_enabled, True)
        core._set_grad_enabled(False)
    if thoroughly or core._len_torch_function_stack():
        guards.enter_context(core.DisableTorchFunction())
    if core._len_torch_dispatch_stack():
        guards.enter_context(core._DisableTorchDispatch())
    return guards
