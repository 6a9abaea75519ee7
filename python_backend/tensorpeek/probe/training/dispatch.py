"""Tells the active conditions of a moment, and makes findings of what they report."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, Callable

from tensorpeek.probe.conditions.condition import Condition
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


@dataclass
class Active:
    """A condition that is watched for, and whether it may speak."""

    condition: Condition
    muted_until: int = 0
    """The step from which it may be reported again."""
    muted_kinds: set[str] = field(default_factory=set)
    """Moments that it is silent about until it once had nothing to say: it has no cool-down in steps."""

    @property
    def id(self) -> str:
        return self.condition.info.id

    def may_report(self, kind: str, step: int) -> bool:
        return step >= self.muted_until and kind not in self.muted_kinds

    def reported(self, kind: str, step: int) -> None:
        cooldown = self.condition.settings.get("cooldown")
        if cooldown is None:
            self.muted_kinds.add(kind)
        else:
            self.muted_until = step + 1 + int(cooldown)


class Dispatch:
    """The active conditions, sorted by the moments that they want."""

    def __init__(self, problems: list[str]) -> None:
        self._problems = problems
        self._active: dict[str, Active] = {}
        self._methods: dict[str, tuple[tuple[Active, Callable[..., Report | None]], ...]] = {}

    def configure(
        self, chosen: Mapping[str, Mapping[str, float]], classes: Mapping[str, type[Condition]]
    ) -> None:
        """A condition whose settings stay keeps what it remembers."""
        active: dict[str, Active] = {}
        for name, settings in chosen.items():
            before = self._active.get(name)
            if before is not None and dict(before.condition.settings) == dict(settings):
                active[name] = before
            elif name in classes:
                active[name] = Active(classes[name](dict(settings)))
        self._active = active
        self._sort()

    @property
    def conditions(self) -> list[Condition]:
        return [active.condition for active in self._active.values()]

    def wants(self, kind: str) -> bool:
        return bool(self._methods.get(kind))

    def tell(self, kind: str, moment: Any, step: int) -> list[tuple[Active, Report]]:
        """What is to be reported of a moment; calls every condition that wants it."""
        found: list[tuple[Active, Report]] = []
        with unobserved():
            for active, method in self._methods.get(kind, ()):
                try:
                    report = method(moment) if moment is not None else method()
                except Exception as error:  # noqa: BLE001  a condition that fails must not end the program
                    self._switch_off(active, error)
                    continue
                if report is None:
                    active.muted_kinds.discard(kind)
                elif active.may_report(kind, step):
                    active.reported(kind, step)
                    found.append((active, report))
        return found

    def _switch_off(self, active: Active, error: Exception) -> None:
        self._active.pop(active.id, None)
        self._sort()
        where = error.__traceback__
        while where is not None and where.tb_next is not None:
            where = where.tb_next
        line = f" ({where.tb_frame.f_code.co_name}, line {where.tb_lineno})" if where is not None else ""
        self._problems.append(
            f"{active.condition.info.label}: switched off after {type(error).__name__}: {error}{line}"
        )

    def _sort(self) -> None:
        self._methods = {
            kind: tuple(_wanting(self._active.values(), method)) for kind, method in METHODS.items()
        }


def _wanting(
    all_active: Iterable[Active], method: str
) -> Iterable[tuple[Active, Callable[..., Report | None]]]:
    for active in all_active:
        if getattr(type(active.condition), method) is not getattr(Condition, method):
            yield active, getattr(active.condition, method)


def unobserved() -> ExitStack:
    """Until it is closed, what is computed is seen by neither autograd nor the user's modes."""
    guards = ExitStack()
    torch = sys.modules.get("torch")
    if torch is not None:
        guards.enter_context(torch.no_grad())
        guards.enter_context(torch._C.DisableTorchFunction())
        if torch._C._len_torch_dispatch_stack():
            guards.enter_context(torch._C._DisableTorchDispatch())
    return guards
