"""The running totals of a scan and what they say: statistics that are honest at any moment."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Union

Real = Union[int, float]
Index = tuple[int, ...]

NAN = "NaN"
POSITIVE_INFINITE = "+Inf"
NEGATIVE_INFINITE = "−Inf"


@dataclass
class Statistics:
    """What is known of the elements of one tensor or array.

    While `seen < count` the numbers cover the seen elements only: `minimum` is an upper bound of the true
    minimum, `maximum` a lower bound of the true maximum, and every count a lower bound. Minimum, maximum,
    mean and std are those of the finite elements, and None when there are none; std is the sample's (n -
    1), None below two. The parts of complex elements count one by one.
    """

    count: int
    seen: int = 0
    nan: int = 0
    positive_infinite: int = 0
    negative_infinite: int = 0
    zeros: int = 0
    minimum: Real | None = None
    maximum: Real | None = None
    mean: float | None = None
    std: float | None = None
    huge: bool = False
    """Some finite magnitude is so near the dtype's limit that the next arithmetic overflows."""
    denormal: bool = False
    """Every nonzero magnitude is below the dtype's smallest normal number: the values have underflowed."""
    offenders: dict[str, list[Index]] = field(default_factory=dict)
    """By `NaN`, `+Inf`, `−Inf`: the first few places, truly the first ones when exact."""

    problem: str = ""
    """Why the rest cannot be read, in a few words."""

    @property
    def exact(self) -> bool:
        """Whether every element was read."""
        return self.seen >= self.count

    @property
    def finite(self) -> int:
        """How many of the seen elements are finite."""
        return self.seen - self.nan - self.positive_infinite - self.negative_infinite


class Accumulator:
    """Counts and moments that chunks are merged into.

    Mean and squared deviations are kept in `unit`s, a power of two that only the extremes of f64 move from
    1, so that squares neither overflow nor vanish.
    """

    __slots__ = (
        "finite",
        "maximum",
        "mean",
        "minimum",
        "nan",
        "negative_infinite",
        "positive_infinite",
        "seen",
        "squares",
        "unit",
        "zeros",
    )

    def __init__(self) -> None:
        self.seen = self.finite = self.zeros = 0
        self.nan = self.positive_infinite = self.negative_infinite = 0
        self.minimum: Real = math.inf
        self.maximum: Real = -math.inf
        self.mean = 0.0
        self.squares = 0.0
        """The sum of the squared deviations from the mean."""
        self.unit = 1.0

    def add_range(self, minimum: Real, maximum: Real) -> None:
        """Widens the range to hold both."""
        if minimum < self.minimum:
            self.minimum = minimum
        if maximum > self.maximum:
            self.maximum = maximum

    def add_moments(self, count: int, mean: float, squares: float, unit: float = 1.0) -> None:
        """Merges a chunk of `count` finite elements by its own mean and squared deviations (Chan et al.)."""
        if unit != self.unit and self.finite:
            if unit > self.unit:
                self._change_unit(unit)
            else:
                mean *= unit / self.unit
                squares *= (unit / self.unit) ** 2
        elif unit != self.unit:
            self.unit = unit
        total = self.finite + count
        distance = mean - self.mean
        self.mean += distance * count / total
        self.squares += squares + distance * distance * self.finite * count / total
        self.finite = total

    def _change_unit(self, unit: float) -> None:
        factor = self.unit / unit
        self.mean *= factor
        self.squares *= factor * factor
        self.unit = unit

    def statistics(self, count: int, repeats: int = 1) -> Statistics:
        """What the totals say of `count` elements, when each element read stands for `repeats` of them."""
        result = Statistics(
            count,
            self.seen * repeats,
            self.nan * repeats,
            self.positive_infinite * repeats,
            self.negative_infinite * repeats,
            self.zeros * repeats,
        )
        if self.finite:
            result.minimum = self.minimum
            result.maximum = self.maximum
            result.mean = self.mean * self.unit
            finite = self.finite * repeats
            if finite > 1:
                result.std = math.sqrt(self.squares * repeats / (finite - 1)) * self.unit
        return result
