"""The calls of the user's that bring a tensor's value to Python: on a device each waits for all that runs."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Callable

from tensorpeek.contract.messages import ProfiledSync
from tensorpeek.probe.profiling.stacks import text_of
from tensorpeek.probe.training.places import is_users_code

KINDS = {
    "item": "item",
    "tolist": "tolist",
    "cpu": "cpu",
    "numpy": "numpy",
    "__repr__": "print",
    "__format__": "print",
    "__bool__": "bool",
    "__float__": "float",
    "__int__": "int",
}
"""By the method of a tensor: what a user calls it."""
MOST = 100


@dataclass
class _Sync:
    calls: int = 0
    seconds: float = 0.0
    is_device: bool = False


class Syncs:
    def __init__(self) -> None:
        self._syncs: dict[tuple[str, int, str], _Sync] = {}
        self._is_inside = False

    def wrapper(self, kind: str) -> Callable[..., Any]:
        """For a method; calls from libraries, as optimizers make them, are passed on."""

        def call(original: Callable[..., Any], tensor: Any, *args: Any, **kwargs: Any) -> Any:
            frame = sys._getframe(2)  # pyright: ignore[reportPrivateUsage]
            if self._is_inside or not is_users_code(frame.f_code):
                return original(tensor, *args, **kwargs)
            self._is_inside = True
            begun = perf_counter()
            try:
                return original(tensor, *args, **kwargs)
            finally:
                taken = perf_counter() - begun
                self._is_inside = False
                key = (frame.f_code.co_filename, frame.f_lineno, kind)
                sync = self._syncs.get(key)
                if sync is None and len(self._syncs) < MOST:
                    sync = self._syncs[key] = _Sync()
                if sync is not None:
                    sync.calls += 1
                    sync.seconds += taken
                    sync.is_device = sync.is_device or tensor.device.type != "cpu"

        return call

    def clear(self) -> None:
        """What was before the training is left out."""
        self._syncs.clear()

    def record(self, steps: int) -> list[ProfiledSync]:
        ordered = sorted(self._syncs.items(), key=lambda item: (-item[1].seconds, -item[1].calls))
        return [
            {
                "path": path,
                "line": line,
                "text": text_of(path, line),
                "kind": kind,
                "calls": round(sync.calls / steps, 3),
                "seconds": round(sync.seconds / steps, 7),
                "isDevice": sync.is_device,
            }
            for (path, line, kind), sync in ordered
        ]
