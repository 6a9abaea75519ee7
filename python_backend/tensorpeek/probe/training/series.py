"""Judges a series of numbers as it grows: has it jumped, has it stopped falling."""

from __future__ import annotations

import math
from collections import deque
from typing import NamedTuple

MAD_TO_SIGMA = 1.4826
"""The median distance to the median, times this, is the standard deviation of normal noise."""
Q90_TO_SIGMA = 1 / 1.2816
"""The same for the distance between the median and the quantile at 90 %."""
SMALLEST_SPREAD = 0.05
"""In logarithms, or as a share of a median that may be negative: less is no noise but a smooth curve."""
FEWEST = 8
"""Values without which nothing is judged."""
REFRESH = 32
"""The limit of an unsuspicious series is worked out once in so many values."""
REMEMBERED = 8
"""So many times worked out, the height of usual values is remembered: for about 250 values."""
FORGETTING = 0.998
"""What is left of the height of a spike after each further value."""
HIGHEST = 1.6
"""Times the highest one, which a spike must have."""
MARGIN = 1.5
"""Times that height, which the next spike must have: what comes back now and then is usual."""


class SpikeFound(NamedTuple):
    value: float
    usual: float
    """The level of the last values before."""
    limit: float
    """The smallest value that would have been a spike."""
    score: float
    """Spreads above that level."""


class Spike:
    """Finds values that are far above the last ones, by a robust score: median and spread of a window.

    The spread is the greater one of two that agree for normal noise: by the median deviation, which a few
    outliers do not move, and by the quantile at 90 %, which knows a series that jumps up now and then. Values
    that are never negative are compared by their logarithms, so that a loss may fall by orders of magnitude.
    A spike is also well above anything that the window has seen. The newest values do not count as usual yet,
    so a rise over some steps does not hide itself.
    """

    def __init__(self, factor: float = 8, window: int = 50, warmup: float = 20) -> None:
        self.factor = factor
        self.warmup = max(warmup, FEWEST)
        self.seen = 0
        self.values: deque[float] = deque(maxlen=int(max(FEWEST, window)))
        self._limit = math.inf
        self._fresh = 0
        self._heights: deque[float] = deque(maxlen=REMEMBERED)
        """How far up the usual values went."""
        self._height = 0.0
        """Of the last spikes above the median then; fades."""

    def add(self, value: float) -> SpikeFound | None:
        """The spike that this value is, None for a usual one. NaN and Inf are spikes, and are not kept."""
        found = None
        is_finite = math.isfinite(value)
        if self.seen >= self.warmup:
            self._height *= FORGETTING
            if self._fresh <= 0:
                scale = self._scale()
                self._heights.append(scale.height)
                self._limit = scale.limit(self.factor, HIGHEST * max(self._heights))
                self._fresh = REFRESH
            if not value <= self._limit:
                found = self._judge(value)
        if is_finite:
            self.values.append(value)
            self.seen += 1
            self._fresh -= 1
        return found

    def _judge(self, value: float) -> SpikeFound | None:
        scale = self._scale()
        usual = HIGHEST * max(self._heights, default=0.0)
        self._limit = scale.limit(self.factor, usual)
        if value <= self._limit:
            return None
        limit = scale.limit(self.factor, max(usual, MARGIN * self._height))
        if not math.isfinite(value):
            return SpikeFound(value, scale.usual, limit, math.inf)
        height = scale.height_of(value)
        self._height = max(self._height, height)
        if value <= limit:
            return None
        return SpikeFound(value, scale.usual, limit, height / scale.spread if scale.spread > 0 else math.inf)

    def _scale(self) -> Scale:
        newest = min(len(self.values) // 4, (self.values.maxlen or 0) // 5)
        return Scale([*self.values][: len(self.values) - newest])


class Scale:
    """What is usual for some numbers that follow each other, and how far up another one is.

    A steady fall or rise is taken out, so that it is not taken for noise.
    """

    def __init__(self, values: list[float]) -> None:
        self.median = _median(values)
        self.is_logarithmic = min(values) >= 0
        self.softening = 1e-3 * self.median
        """Added before the logarithm, so that a zero is small and not infinitely far down."""
        if self.is_logarithmic and self.median > 0:
            values = [math.log(value + self.softening) for value in values]
        count = len(values)
        slope = (_median(values[count // 2 :]) - _median(values[: count // 2])) / (count / 2)
        middle = _median(values)
        distances = sorted(
            value - middle - slope * (index - (count - 1) / 2) for index, value in enumerate(values)
        )
        centre = distances[count // 2]
        self.level = middle + max(slope, 0.0) * (count - 1) / 2 + centre
        """From which heights count: where a rise has led to, or the middle of a fall, which may end."""
        deviations = sorted(abs(distance - centre) for distance in distances)
        tail = distances[int(0.9 * (count - 1))] - centre
        self.spread = max(
            MAD_TO_SIGMA * deviations[count // 2],
            Q90_TO_SIGMA * tail,
            SMALLEST_SPREAD * (1.0 if self.is_logarithmic else abs(middle)),
        )
        self.height = distances[-1] - centre

    def limit(self, factor: float, least: float) -> float:
        """The value `factor` spreads above the median, clearly above the highest one, and `least` high."""
        if self.is_logarithmic:
            if self.median <= 0:
                return math.inf  # mostly zeros: each value above them would be infinitely far up
            height = max(factor * self.spread, 2 * self.height, least)
            return math.exp(min(self.level + height, 700.0)) - self.softening
        # What can be negative has no logarithm that tames it, and heavier tails in practice.
        return self.level + max(factor * self.spread, 3 * self.height, least)

    @property
    def usual(self) -> float:
        return (
            math.exp(self.level) - self.softening if self.is_logarithmic and self.median > 0 else self.level
        )

    def height_of(self, value: float) -> float:
        """Above the level: in logarithms, or in the values' own unit."""
        if self.is_logarithmic:
            value = math.log(max(value + self.softening, 1e-300))
        return value - self.level


def _median(values: list[float]) -> float:
    return sorted(values)[len(values) // 2]


class PlateauFound(NamedTuple):
    best: float
    """The lowest level so far."""
    steps: int
    """Values since it was reached."""
    noise: float
    """What a level may differ by chance."""


class Plateau:
    """Finds that a series has not fallen for `window` values, by a share of `fall` and beyond its noise.

    Compared are medians of blocks, a tenth of the window each.
    """

    def __init__(self, window: int = 1000, fall: float = 0.001) -> None:
        self.window = max(int(window), FEWEST)
        self.fall = fall
        self.best = math.inf
        self.since = 0
        self.noise = 0.0
        self._size = max(self.window // 10, 1)
        self._block: list[float] = []

    def add(self, value: float) -> PlateauFound | None:
        """What is known of the plateau, once per `window` values on it. NaN and Inf do not count."""
        if not math.isfinite(value):
            return None
        self.since += 1
        self._block.append(value)
        if len(self._block) >= self._size:
            self._close()
        if self.since < self.window:
            return None
        found = PlateauFound(self.best, self.since, self.noise)
        self.since = 0
        return found

    def _close(self) -> None:
        block = sorted(self._block)
        self._block = []
        level = block[len(block) // 2]
        deviations = sorted(abs(value - level) for value in block)
        # 1.25: how much less sure a median is than a mean.
        self.noise = 1.25 * MAD_TO_SIGMA * deviations[len(deviations) // 2] / math.sqrt(len(block))
        if self.best == math.inf or level < self.best - max(self.fall * abs(self.best), self.noise):
            self.best = level
            self.since = 0
