"""Where a training is: optimizer steps, passes over the data, and how long a step takes."""

from __future__ import annotations

import statistics
import time
import weakref
from collections import deque
from typing import Any

EARLY, SELDOM = 16, 32
"""Up to this step the median is worked out in each, later in each so many."""
BESIDE = 10
"""An optimizer that begins within so many steps of another counts from where that one did."""
STEP_TIMES = 64
"""So many of the last steps make the median."""


class Clock:
    def __init__(self) -> None:
        self.step = 0
        """Optimizer steps taken: those of the optimizer that has taken the most."""
        self.epoch = -1
        """Passes begun over the data that is trained on, from 0; -1 while no DataLoader was seen."""
        self.backwards = 0
        """Backward passes run."""
        self.step_seconds = 0.0
        """Median duration of the last steps; 0 before the second."""
        self._counts: dict[int, _Count] = {}
        """By the optimizer's id: to hash it costs more than all else here."""
        self._times: deque[float] = deque(maxlen=STEP_TIMES)
        self._last = 0.0
        self._first = 0
        """The step that the count begins at."""

    def begins_at(self, step: int) -> None:
        """The program goes on with this step of an earlier run."""
        self.step = step
        self._first = step - max((count.steps for count in self._counts.values()), default=0)

    @property
    def optimizers(self) -> list[Any]:
        """Those that have begun a step and are alive."""
        found = [count.optimizer() for count in list(self._counts.values())]
        return [optimizer for optimizer in found if optimizer is not None]

    def steps_of(self, optimizer: Any) -> int:
        """Those that this optimizer has taken itself."""
        count = self._count(optimizer)
        return count.steps - count.begun

    def began_backward(self, epoch: int) -> None:
        self.backwards += 1
        self.epoch = epoch if epoch >= 0 else self.epoch

    def begins_step(self, optimizer: Any) -> None:
        self._count(optimizer)

    def took_step(self, optimizer: Any) -> None:
        count = self._count(optimizer)
        count.steps += 1
        if count.steps + self._first > self.step:
            self.step = count.steps + self._first
            now = time.perf_counter()
            if self._last:
                self._times.append(now - self._last)
                if count.steps < EARLY or not count.steps % SELDOM:
                    self.step_seconds = statistics.median(self._times)
            self._last = now

    def paused(self) -> None:
        """The step that runs was interrupted, by a stop: its duration says nothing."""
        self._last = 0.0

    def _count(self, optimizer: Any) -> _Count:
        key = id(optimizer)
        count = self._counts.get(key)
        if count is None or count.optimizer() is not optimizer:
            for dead in [other for other, each in self._counts.items() if each.optimizer() is None]:
                del self._counts[dead]
            # Beside one that has just begun, as in a GAN, or in a training of its own after that of others.
            young = [each.begun for each in self._counts.values() if each.steps - each.begun <= BESIDE]
            count = self._counts[key] = _Count(optimizer, max(young, default=self.step - self._first))
        return count


class _Count:
    """The steps of one optimizer."""

    def __init__(self, optimizer: Any, begun: int) -> None:
        self.optimizer = weakref.ref(optimizer)
        self.steps = self.begun = begun
