"""How long each module of a model takes forward, by timers around its calls in some of the steps."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from tensorpeek.contract.messages import ProfiledModule
from tensorpeek.probe.training.places import is_users_code

MOST = 500
MOST_ROOTS = 8
EACH_STEP = 20
"""Steps at the beginning in which all modules are timed; after them one in ten."""
THEN_ONE_IN = 10


@dataclass
class _Module:
    path: str
    kind: str
    source: str
    line: int
    parameters: int
    parent: int
    calls: int = 0
    seconds: float = 0.0
    own: float = 0.0
    backward: float = 0.0
    backward_own: float = 0.0


class Modules:
    def __init__(self) -> None:
        self.is_timing = False
        """Whether the modules inside of a model are timed in this step."""
        self._steps = 0
        self._window_steps = 0
        self._modules: list[_Module] = []
        self._numbers: dict[int, tuple[weakref.ref[Any], int]] = {}
        """By address, of modules that may be gone by now."""
        self._roots = 0
        self._inner: list[float] = []

    def step_begins(self, number: int, is_in_window: bool) -> None:
        if self.is_timing:
            self._steps += 1
        self.is_timing = number < EACH_STEP or number % THEN_ONE_IN == 0 or is_in_window
        self._inner.clear()

    def know(self, root: Any) -> None:
        """A model is called: its modules get their names, once."""
        if self.number(root) >= 0 or self._roots >= MOST_ROOTS:
            return
        self._roots += 1
        name = "" if self._roots == 1 else f"{type(root).__name__}#{self._roots}"
        by_path: dict[str, int] = {}
        for path, module in root.named_modules(prefix=name):
            if len(self._modules) >= MOST:
                break
            number = by_path[path] = len(self._modules)
            parent = by_path.get(path.rpartition(".")[0], -1) if path != name else -1
            self._modules.append(_described(module, path, parent))
            self._numbers[id(module)] = weakref.ref(module), number

    def number(self, module: Any) -> int:
        """-1 for one that is not known."""
        known = self._numbers.get(id(module))
        return known[1] if known is not None and known[0]() is module else -1

    def enter(self) -> float:
        self._inner.append(0.0)
        return perf_counter()

    def leave(self, number: int, begun: float) -> None:
        taken = perf_counter() - begun
        inner = self._inner.pop() if self._inner else 0.0
        if self._inner:
            self._inner[-1] += taken
        if number >= 0:
            module = self._modules[number]
            module.calls += 1
            module.seconds += taken
            module.own += taken - inner

    def add_backward(self, seconds: dict[int, float], steps: int) -> None:
        """Of each module's own operations, in so many steps."""
        self._window_steps = steps
        for number, own in seconds.items():
            if 0 <= number < len(self._modules):
                self._modules[number].backward_own += own
                above = number
                while above >= 0:
                    self._modules[above].backward += own
                    above = self._modules[above].parent

    def record(self) -> list[ProfiledModule]:
        steps, window = max(1, self._steps), max(1, self._window_steps)
        return [
            {
                "path": module.path,
                "type": module.kind,
                "sourcePath": module.source,
                "line": module.line,
                "calls": round(module.calls / steps),
                "forward": round(module.seconds / steps, 6),
                "forwardSelf": round(module.own / steps, 6),
                "backward": round(module.backward / window, 6),
                "backwardSelf": round(module.backward_own / window, 6),
                "parameters": module.parameters,
            }
            for module in self._modules
            if module.calls
        ]

    @property
    def is_truncated(self) -> bool:
        return len(self._modules) >= MOST


def _described(module: Any, path: str, parent: int) -> _Module:
    code = getattr(getattr(type(module), "forward", None), "__code__", None)
    is_users = code is not None and is_users_code(code)
    return _Module(
        path=path,
        kind=type(module).__name__,
        source=code.co_filename if code is not None and is_users else "",
        line=code.co_firstlineno if code is not None and is_users else 0,
        parameters=sum(
            p.numel() for p in module.parameters() if not type(p).__name__.startswith("Uninitialized")
        ),
        parent=parent,
    )
