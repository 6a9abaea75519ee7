"""Tells the active conditions of a moment, as often as the budget allows, and collects what they report."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from time import perf_counter
from typing import Any, Callable, NamedTuple

from tensorpeek.probe.conditions.condition import Condition
from tensorpeek.probe.training.active import ALWAYS, Active
from tensorpeek.probe.training.overhead import FIRST_STEPS, Budget
from tensorpeek.probe.training.report import Report
from tensorpeek.probe.training.unobserved import unobserved

METHODS = {
    "fetched": "on_fetched",
    "evaluation": "on_evaluation",
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
ESSENTIAL = frozenset({"nan-loss", "nan-gradient", "loss-spike", "loss-plateau", "step-skipped"})
"""Conditions that have to see every step. The others may rest between blocks of consecutive steps."""
BLOCK = 8
BLOCKS_SHARE = 0.005
"""Of the time of a step, for what those cost that need not see every step."""
TRIALS = 5
"""So often a method is timed before it may be called slow."""

Reports = list[tuple[Active, Report]]


class Told(NamedTuple):
    active: Active
    method: Callable[..., Report | None]


class Dispatch:
    """The active conditions, sorted by the moments that they want."""

    def __init__(self, budget: Budget, note_problem: Callable[[str, Exception], None]) -> None:
        self.now: dict[str, tuple[Told, ...]] = {}
        """Who is told of which moments in this step; has no empty ones."""
        self._always: dict[str, tuple[Told, ...]] = {}
        """Those told in every step."""
        self._core: dict[str, tuple[Told, ...]] = {}
        """Those of them that no step may go without."""
        self._rest = self._turn = 0
        self._settling = 0.0
        """Seconds that a measured step takes beside the conditions' own."""
        self._is_measured = False
        """Whether sampled conditions are told in this step, and everything is timed."""
        self._budget = budget
        self._note_problem = note_problem
        self._active: dict[str, Active] = {}
        self._next_due = 0.0
        self._is_over = True
        """Whether the optimizer has taken the step that was begun."""
        self._segments = 0

    @property
    def conditions(self) -> list[Condition]:
        return [active.condition for active in self._active.values()]

    @property
    def sampled(self) -> list[Condition]:
        """Conditions that were left out in some steps, at least in part."""
        return [active.condition for active in self._active.values() if active.left_out]

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
        self._is_over, self._next_due = True, 0.0

    def begin(self, step: int, step_seconds: float) -> None:
        """A forward pass begins: chooses who is due, unless it belongs to the step before."""
        self._segments += 1
        if not self._is_over and self._segments < SEGMENTS:
            return
        self._is_over, self._segments = False, 0
        now = perf_counter()
        if self._is_measured:
            self._settle(now, step_seconds)
            took = perf_counter() - now
            self._settling = took if not self._settling else min(took, 1.1 * self._settling)
            self._budget.spent += took
        if now < self._next_due and step >= FIRST_STEPS:
            if self._rest:
                self._turn = (self._turn + 1) % (BLOCK + self._rest)
                self.now = self._always if self._turn < BLOCK else self._core
            return
        for active in self._active.values():
            active.is_due = active.due <= now or step < FIRST_STEPS
        self.now = {kind: told for kind in METHODS if (told := tuple(self._told_of(kind)))}
        self._is_measured = True

    def paused(self, seconds: float) -> None:
        """The program has stood still: such time earns nothing."""
        self._next_due += seconds
        for active in self._active.values():
            active.due += seconds

    def over(self) -> None:
        """The optimizer has taken its step."""
        self._is_over = True

    def tell(self, kind: str, moment: Any, step: int) -> Reports:
        """What is to be reported of a moment."""
        told = self.now.get(kind)
        if not told:
            return []
        begun = perf_counter()
        if self._is_measured:
            found = self._tell_timed(kind, told, moment, step)
        else:
            found = self._tell_briefly(kind, told, moment, step)
        self._budget.spent += perf_counter() - begun
        return found

    def tell_end(self, step: int) -> Reports:
        """The last words."""
        found: Reports = []
        for active, method in self._always.get("end", ()):
            try:
                active.spoke("end", step, method(), found)
            except Exception as error:  # noqa: BLE001, PERF203  it must not end the program
                self._switch_off(active, error)
        return found

    def _tell_briefly(self, kind: str, told: tuple[Told, ...], moment: Any, step: int) -> Reports:
        """Meanwhile neither autograd nor the user's modes see what is computed.

        Subclasses of tensors still see it: keeping them out as well costs more.
        """
        found: Reports = []
        torch = sys.modules.get("torch")
        core = torch._C if torch is not None else None
        guards: ExitStack | None = None
        let_graphs: Callable[[bool], None] | None = None
        if core is not None:
            if core._len_torch_function_stack() or core._len_torch_dispatch_stack():
                guards = unobserved()
            elif core.is_grad_enabled():
                let_graphs = core._set_grad_enabled
                core._set_grad_enabled(False)
        try:
            for active, method in told:
                try:
                    report = method(moment)
                except Exception as error:  # noqa: BLE001  it must not end the program
                    self._switch_off(active, error)
                    continue
                if report is not None or active.silent_kinds:
                    active.spoke(kind, step, report, found)
        finally:
            if let_graphs is not None:
                let_graphs(True)
            if guards is not None:
                guards.close()
        return found

    def _tell_timed(self, kind: str, told: tuple[Told, ...], moment: Any, step: int) -> Reports:
        found: Reports = []
        with unobserved():
            for active, method in told:
                begun = perf_counter()
                try:
                    report = method(moment)
                except Exception as error:  # noqa: BLE001  it must not end the program
                    self._switch_off(active, error)
                    continue
                active.took(kind, perf_counter() - begun + (MODULE_S if kind == "module" else 0.0))
                active.spoke(kind, step, report, found)
        return found

    def _told_of(self, kind: str) -> Iterable[Told]:
        always = self._always.get(kind, ())
        for active in self._active.values():
            if active.is_due and active.wants(METHODS[kind]):
                yield Told(active, getattr(active.condition, METHODS[kind]))
            else:
                yield from (told for told in always if told.active is active)

    def _settle(self, now: float, step_seconds: float) -> None:
        """Charges what the conditions of a measured step have cost."""
        sampled = [active for active in self._active.values() if active.samples]
        shared = self._settling / max(1, sum(active.is_due for active in sampled))
        is_slower = False
        for active in self._active.values():
            if active.is_due:
                cost = active.cost + shared
                active.due = self._budget.next_due(active.due, now, cost, max(1, len(sampled)))
                if active.id not in ESSENTIAL:
                    is_slower = active.find_slow(TRIALS, self._budget, step_seconds) or is_slower
            active.cost = 0.0
            active.left_out = active.left_out or (active.due > now and active in sampled)
        if is_slower:
            self._sort()
            sampled = [active for active in self._active.values() if active.samples]
        self.now, self._is_measured = self._always, False
        self._rest = self._rest_between_blocks(step_seconds)
        # Those that are due soon after one another are told together: a measured step costs by itself.
        soonest = min((active.due for active in sampled), default=math.inf)
        has_credit = soonest <= now
        self._next_due = soonest if has_credit else max(soonest, now + self._budget.pause(self._settling))

    def _rest_between_blocks(self, step_seconds: float) -> int:
        """Steps in which only the essential conditions are told, so that short steps stay short."""
        seconds = sum(
            told.active.least(kind)
            for kind, all_told in self._always.items()
            for told in all_told
            if told.active.id not in ESSENTIAL
        )
        allowed = BLOCKS_SHARE * step_seconds
        return math.ceil(BLOCK * (seconds / allowed - 1)) if 0 < allowed < seconds else 0

    def _switch_off(self, active: Active, error: Exception) -> None:
        self._active.pop(active.id, None)
        self._sort()
        self._note_problem(f"{active.condition.info.label} is switched off", error)

    def _sort(self) -> None:
        self._always = {
            kind: told
            for kind, method in METHODS.items()
            if (
                told := tuple(
                    Told(active, getattr(active.condition, method))
                    for active in self._active.values()
                    if active.wants_always(kind, method)
                )
            )
        }
        self._core = {
            kind: told
            for kind, all_told in self._always.items()
            if (told := tuple(each for each in all_told if each.active.id in ESSENTIAL or kind in ALWAYS))
        }
        self.now, self._is_measured = self._always, False
