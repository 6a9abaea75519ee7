"""A few steps under torch's own profiler, whose record is reduced to tables at once and never written."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from time import perf_counter
from typing import Any

from tensorpeek.probe.profiling.ops import Reduced, reduced

LOUDNESS, QUIET = "KINETO_LOG_LEVEL", "9"
"""Of torch's profiler, which may print of its start and its end on the program's stderr."""
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
        profile.__exit__(None, None, None)
        if self.steps:
            events = profile.kineto_results.events()
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
        profiling: Any = sys.modules.get("torch.autograd.profiler")
        if profiling is None:
            self.problem = "Operations were not recorded: this torch has no profiler."
            return
        if torch.autograd._profiler_enabled():
            self.problem = "Operations were not recorded: the program runs torch's profiler itself."
            return
        # Not torch.profiler, whose start imports what compiles: seconds, in a program that has no use for it.
        profile = profiling.profile(
            use_device="cuda" if torch.cuda.is_initialized() else None,
            use_kineto=True,
            record_shapes=True,
            with_flops=True,
        )
        self._is_starting = True
        try:
            with _quiet():
                profile.__enter__()
        except RuntimeError as error:
            self.problem = f"Operations were not recorded: {error}"
            return
        finally:
            self._is_starting = False
        self._profile = profile


@contextmanager
def _quiet() -> Generator[None]:
    """Unless the user has chosen how loud it is."""
    if LOUDNESS in os.environ:
        yield
        return
    os.environ[LOUDNESS] = QUIET
    try:
        yield
    finally:
        os.environ.pop(LOUDNESS, None)


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
