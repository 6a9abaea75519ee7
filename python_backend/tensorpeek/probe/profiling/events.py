"""What the wrapped parts of torch tell."""

from __future__ import annotations

from typing import Any, Protocol

from tensorpeek.probe.profiling.loaders import Loaders
from tensorpeek.probe.profiling.modules import Modules
from tensorpeek.probe.profiling.stopwatch import Stopwatch
from tensorpeek.probe.profiling.syncs import Syncs


class Events(Protocol):
    """All in the thread that trains."""

    @property
    def stopwatch(self) -> Stopwatch: ...
    @property
    def loaders(self) -> Loaders: ...
    @property
    def modules(self) -> Modules: ...
    @property
    def syncs(self) -> Syncs: ...
    @property
    def is_in_window(self) -> bool: ...

    def is_training_thread(self) -> bool: ...
    def active(self) -> None:
        """Something of a step begins."""

    def backward_ended(self) -> None: ...
    def optimizer_stepped(self, optimizer: Any) -> None: ...
    def anomaly_mode_set(self) -> None: ...
    def users_profiler_begins(self, profiler: Any) -> None: ...
