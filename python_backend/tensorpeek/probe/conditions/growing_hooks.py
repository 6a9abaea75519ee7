"""Hooks that are registered in every step and never removed."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING, Any

from tensorpeek.probe.training import source
from tensorpeek.probe.training.moments import Step
from tensorpeek.probe.training.places import Place
from tensorpeek.probe.training.report import Report

if TYPE_CHECKING:
    from tensorpeek.probe.training.training import Training

TABLES = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
FEWEST_LOOKS = 2
REGISTER = (
    "register_forward_hook",
    "register_forward_pre_hook",
    "register_full_backward_hook",
    "register_full_backward_pre_hook",
    "register_backward_hook",
)


@dataclass
class Growth:
    """Of a module's hooks, as long as every step adds at least one."""

    first: int
    """The step at which it was first seen."""
    last: int = 0
    count: int = 0
    looks: int = 0
    is_told: bool = False

    def is_told_at(self, step: int, window: int) -> bool:
        """Whether it has gone on for so many steps, and was not told before."""
        if self.is_told or self.looks < FEWEST_LOOKS or step - self.first < window:
            return False
        self.is_told = True
        return True


class GrowingHooks:
    def __init__(self, window: int) -> None:
        self._window = window
        self._growths: weakref.WeakKeyDictionary[Any, Growth] = weakref.WeakKeyDictionary()

    def look(self, step: Step) -> Report | None:
        return self._look(step.training, step.number, step.frame)

    def last_look(self, training: Training) -> Report | None:
        """When the program ends: the clock is one step beyond the last one, in which nothing was added."""
        return self._look(training, training.clock.step - 1, None)

    def _look(self, training: Training, step: int, frame: FrameType | None) -> Report | None:
        for root in training.models.roots():
            for module in root.modules():
                count = sum(len(table) for name in TABLES if (table := getattr(module, name, None)))
                if not count:
                    continue
                growth = self._growths.get(module)
                if growth is None or count - growth.count < step - growth.last:
                    growth = self._growths[module] = Growth(step)
                growth.looks += 1
                growth.count, growth.last = count, step
                if growth.is_told_at(step, self._window):
                    return _report(training, step, frame, module, count)
        return None


def _report(training: Training, step: int, frame: FrameType | None, module: Any, count: int) -> Report:
    functions = [
        hook for name in TABLES if (table := getattr(module, name, None)) for hook in list(table.values())
    ]
    name = getattr(functions[-1], "__name__", type(functions[-1]).__name__)
    same = sum(1 for hook in functions if getattr(hook, "__name__", "") == name)
    path = training.models.module_path(module) or type(module).__name__
    place = _registration(training, frame, name)
    at = f", registered at line {place.line}" if place is not None else ""
    return Report(
        "Hooks added each step",
        f"Module `{path}` has {count} hooks after {step + 1} steps, more in each step: {same} times "
        f"`{name}`{at}. Each call of the module runs all of them.",
        place=place,
        module=path,
        value=float(count),
        evidence=[f"{path}: {count} hooks, {same} of them {name}"],
        next=[
            "Register the hook once before the loop, or call remove() on its handle when the step is over."
        ],
    )


def _registration(training: Training, frame: FrameType | None, function: str) -> Place | None:
    """The line that registers this function, or the only one that registers any."""
    places: list[tuple[Place, str]] = []
    for path in source.user_files(frame, training.models.roots()):
        places += [
            (Place(path, call.lineno, source.function_of(path, call.lineno)), source.text(call))
            for call in source.calls(path, *REGISTER)
        ]
    naming = [place for place, text in places if function in text]
    fitting = naming or [place for place, _ in places]
    return fitting[0] if len(fitting) == 1 else None
