"""A few steps under torch's own profiler, whose record is reduced to tables at once and never written."""

from __future__ import annotations

import os
import sys
from time import perf_counter
from typing import Any

from tensorpeek.probe.profiling.ops import Reduced, reduced

LOUDNESS, QUIET = "KINETO_LOG_LEVEL", "9"
"""Of torch's profiler, which may print of its start; read when torch is loaded."""
PROBE_SIZE = 512
PROBES = 3


class Window:
    """From the end of step `warmup` on, for `active` steps."""

    def __init__(self, warmup: int, active: int) -> None:
        self.first, self.last = warmup, warmup + active - 1
        self.result: Reduced | None = None
        self.peak_flops = 0.0
        self.problem = ""
        self.steps = 0
        """That were recorded."""
        self._profile: Any = None
        self._is_starting = False
        self._has_quieted = False

    def torch_comes(self) -> None:
        """Has torch's profiler print nothing, unless the user wants it to."""
        if LOUDNESS not in os.environ:
            os.environ[LOUDNESS] = QUIET
            self._has_quieted = True

    def torch_is_there(self) -> None:
        if self._has_quieted and os.environ.get(LOUDNESS) == QUIET:
            del os.environ[LOUDNESS]
        self._has_quieted = False

    @property
    def is_open(self) -> bool:
        return self._profile is not None

    def step_ended(self, number: int) -> None:
        """The step with this number, counted from 0, has ended."""
        if self._profile is not None:
            self.steps += 1
            if number >= self.last:
                self.close()
        elif number == self.first - 1 and not self.problem:
            self._open()

    def close(self) -> None:
        """Whatever has been recorded by then counts."""
        profile, self._profile = self._profile, None
        if profile is None:
            return
        profile.stop()
        if self.steps:
            events = profile.profiler.kineto_results.events()
            self.result = reduced(events)
            self.peak_flops = _peak_flops()

    def users_profiler_begins(self, profiler: Any) -> None:
        """Torch has one at a time: the program's goes first."""
        if self._is_starting:
            return
        self.close()
        self.problem = (
            self.problem or "Operations were not recorded: the program runs torch's profiler itself."
        )

    def _open(self) -> None:
        torch = sys.modules["torch"]
        profiling = sys.modules.get("torch.profiler")
        if profiling is None:
            self.problem = "Operations were not recorded: this torch has no profiler."
            return
        if torch.autograd._profiler_enabled():
            self.problem = "Operations were not recorded: the program runs torch's profiler itself."
            return
        activities = [profiling.ProfilerActivity.CPU]
        if torch.cuda.is_initialized():
            activities.append(profiling.ProfilerActivity.CUDA)
        self._is_starting = True
        try:
            profile = profiling.profile(activities=activities, record_shapes=True, with_flops=True)
            profile.start()
        except RuntimeError as error:
            self.problem = f"Operations were not recorded: {error}"
            return
        finally:
            self._is_starting = False
        self._profile = profile


def _peak_flops() -> float:
    """Per second, of the best of a few multiplications of large matrices, with the program's own threads."""
    torch = sys.modules["torch"]
    if torch.cuda.is_initialized():
        return 0.0
    with torch.no_grad():
        matrix = torch.ones(PROBE_SIZE, PROBE_SIZE, dtype=torch.float32, device="cpu")
        best = float("inf")
        for _ in range(PROBES):
            begun = perf_counter()
            torch.mm(matrix, matrix)
            best = min(best, perf_counter() - begun)
    return round(2 * PROBE_SIZE**3 / best)
