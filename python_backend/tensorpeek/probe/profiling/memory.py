"""The memory of the process and of its device over the steps: a bounded timeline, peaks and growth."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

from tensorpeek.contract.messages import ProfiledMemory

try:
    import resource
except ImportError:  # on Windows
    resource = None

MOST_POINTS = 400
LEAST_PAUSE_S = 0.05
"""Between two looks; one takes some ten microseconds."""
ENOUGH_POINTS = 16
STEADY = 0.7
"""The share of the quarters' differences that a steady growth explains."""
_STATM = Path("/proc/self/statm")
_usage: Any = resource


class Memory:
    def __init__(self) -> None:
        self._points: list[tuple[float, int, int, int]] = []
        """Time, step, resident and device bytes."""
        self._pause = LEAST_PAUSE_S
        self._last = 0.0

    def look(self, since_start: float, step: int) -> None:
        now = perf_counter()
        if now - self._last < self._pause:
            return
        self._last = now
        self._points.append((since_start, step, resident(), allocated()[0]))
        if len(self._points) >= MOST_POINTS:
            del self._points[1::2]
            self._pause *= 2

    def record(self) -> ProfiledMemory:
        has_device = any(point[3] for point in self._points)
        return {
            "time": [round(point[0], 3) for point in self._points],
            "step": [point[1] for point in self._points],
            "resident": [point[2] for point in self._points],
            "device": [point[3] for point in self._points] if has_device else [],
            "peakResident": peak_resident(),
            "peakDevice": allocated()[1],
            "growth": round(self._growth()),
        }

    def _growth(self) -> float:
        """Bytes per step in the second half, where each of its quarters is well above the one before."""
        late = [point for point in self._points if point[1] > 0]
        late = late[len(late) // 2 :]
        if len(late) < ENOUGH_POINTS:
            return 0.0
        column = 3 if any(point[3] for point in late) else 2
        size = len(late) // 4
        quarters = [late[at * size : (at + 1) * size] for at in range(4)]
        lows = [min(point[column] for point in quarter) for quarter in quarters]
        steps = quarters[3][0][1] - quarters[0][0][1]
        rises = [later - earlier for earlier, later in zip(lows, lows[1:])]
        if steps <= 0 or min(rises) <= 0 or min(rises) < STEADY * sum(rises) / 3:
            return 0.0
        return sum(rises) / steps


def resident() -> int:
    """Bytes of this process that are in memory; the largest so far where the system says no more."""
    try:
        with _STATM.open("rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return peak_resident()


def peak_resident() -> int:
    if _usage is None:
        return 0
    most: int = _usage.getrusage(_usage.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def allocated() -> tuple[int, int]:
    """Bytes that torch has on the present CUDA device, and the most so far; zeros where none is in use."""
    cuda: Any = getattr(sys.modules.get("torch"), "cuda", None)
    if cuda is None or not cuda.is_initialized():
        return 0, 0
    return cuda.memory_allocated(), cuda.max_memory_allocated()
