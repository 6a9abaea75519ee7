"""Calls back when the program has imported torch, which may be at once, later, or never."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Callable

NEEDED = ("torch", "torch.optim.optimizer", "torch.nn.modules.module")


def is_here() -> bool:
    """Whether torch is imported, and wholly."""
    specification = getattr(sys.modules.get("torch"), "__spec__", None)
    return all(name in sys.modules for name in NEEDED) and not getattr(specification, "_initializing", False)


class Arrival:
    """Stands before the other finders until it has seen one import of torch, and finds nothing else."""

    def __init__(self, callback: Callable[[], None]) -> None:
        self._callback = callback

    def wait(self) -> None:
        sys.meta_path.insert(0, self)  # pyright: ignore[reportArgumentType]

    def leave(self) -> None:
        if self in sys.meta_path:
            sys.meta_path.remove(self)  # pyright: ignore[reportArgumentType]

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != "torch":
            return None
        self.leave()
        # The others may include another one of these.
        others = (finder.find_spec(name, path, target) for finder in list(sys.meta_path))
        found = next((spec for spec in others if spec is not None), None)
        if found is not None and found.loader is not None:
            loader: Any = found.loader
            execute = loader.exec_module

            def exec_module(module: ModuleType) -> None:
                execute(module)
                self._callback()

            loader.exec_module = exec_module
        return found
