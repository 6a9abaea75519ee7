"""The budget: how much of the program's time conditions may take, by their own measured time.

What must be looked at in every step costs microseconds. Everything else is sampled: a condition that has cost
`c` seconds is due again when its share of the budget has grown by as much. Each begins with a credit, so that
short runs, and the beginning of long ones, are looked at whole.
"""

from __future__ import annotations

import math
from time import perf_counter

CREDIT_S = 1.0
"""Together, at the beginning and after idle times: a short run is looked at whole, on a busy machine too."""
FIRST_STEPS = 2
"""Are looked at whole in any case."""
SAMPLED = 0.5
"""Of the budget, for what is sampled; the rest is for what runs in every step."""
BASE_S = 6e-6
"""What the hooks take in each step beside what is timed."""
SLOW_S, SLOW_SHARE = 10e-6, 0.01
"""A method that should run in every step and takes more than both, the latter of a step, is sampled too."""


class Budget:
    def __init__(self, percent: float = 1.0) -> None:
        self.percent = percent
        self.spent = 0.0
        """Seconds, of conditions and of what feeds them."""
        self.steps = 0
        self._started = perf_counter()
        self._paused = 0.0

    @property
    def overhead_percent(self) -> float:
        """What all of it took of the program's time since the training began, stops left out."""
        elapsed = perf_counter() - self._started - self._paused
        ours = self.spent + self.steps * BASE_S
        return 100 * min(1.0, ours / elapsed) if self.steps and elapsed > 0 else 0.0

    def begin(self) -> None:
        """The training begins now."""
        self._started, self._paused, self.spent, self.steps = perf_counter(), 0.0, 0.0, 0

    def paused(self, seconds: float) -> None:
        """The program was stopped for the user to look at it."""
        self._paused += seconds

    def first_due(self, now: float) -> float:
        return now - self._saved()

    def next_due(self, due: float, now: float, cost: float, sharers: int) -> float:
        """When a condition, one of `sharers`, may run again after it has cost so many seconds."""
        if self.percent <= 0:
            return math.inf
        return max(due, now - self._saved()) + self._earning(cost * sharers)

    def pause(self, seconds: float) -> float:
        """How long to wait until something that takes so many seconds is done again."""
        return 2 * self._earning(seconds) if self.percent > 0 else math.inf

    def is_slow(self, seconds: float, step_seconds: float) -> bool:
        """Whether a method is too slow for every step."""
        return seconds > max(SLOW_S, SLOW_SHARE * step_seconds)

    def _saved(self) -> float:
        """The seconds in which the credit grows."""
        return self._earning(CREDIT_S) if self.percent > 0 else 0.0

    def _earning(self, seconds: float) -> float:
        """How long the program runs until so many are earned."""
        return seconds * 100 / (SAMPLED * self.percent)
