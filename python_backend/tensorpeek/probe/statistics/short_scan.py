"""Statistics of a short dense tensor in the fewest calls there are: a frame may hold hundreds of those."""

from __future__ import annotations

import sys
from math import sqrt
from typing import TYPE_CHECKING, Any, Callable, Optional

from tensorpeek.probe.statistics.accumulator import NAN, NEGATIVE_INFINITE, POSITIVE_INFINITE, Statistics
from tensorpeek.probe.statistics.offenders import FIRST, unflatten

if TYPE_CHECKING:
    from tensorpeek.probe.budget import Deadline
    from tensorpeek.probe.tensors.address_view import ShortView

SHORT = 4096
"""Numbers at most: BLAS starts threads for long dot products, and up to here the L1 cache holds
everything."""
SQUARES_FIT = (1e-140, 1e140)
"""Magnitudes whose squares f64 holds."""
EXACT_INTEGERS = 1 << 53
CANCELLED = 1e-4
"""Below this share of the squares the squared deviations have lost digits, and are taken around the mean."""


class ShortScan:
    """A scan that was done when it was made."""

    __slots__ = ("statistics",)
    cost = 0

    def __init__(self, statistics: Statistics) -> None:
        self.statistics = statistics

    def advance(self, deadline: Deadline) -> bool:
        """There is nothing left to do."""
        return True


def short_scan(view: ShortView) -> ShortScan | None:
    """The scan of at most `SHORT` elements; None where their squares do not fit f64, or the dtype is a rare
    one.

    Every operation is given numbers it cannot overflow or warn of, so numpy's error state is left alone.
    """
    np = sys.modules["numpy"]
    memory, element, shape, byte_strides = view
    entry = _ENTRIES.get(element.name)
    if entry is None:
        return None
    if byte_strides is None:
        values = np.frombuffer(memory, entry[0])
    else:
        values = np.ndarray(shape, entry[0], memory, 0, byte_strides).reshape(-1)
    if entry[1] is not None:
        values = entry[1](np, values)
    size = values.size
    result = Statistics(size, size)
    # Many times quicker than `min` and `max` at this size, and a NaN counts as the least and the greatest.
    low = values.item(values.argmin())
    high = values.item(values.argmax())
    if not low - low == 0 == high - high:
        values = _finite_part(values, shape, result, np)
        if not values.size:
            return ShortScan(result)
        low = values.item(values.argmin())
        high = values.item(values.argmax())
        size = values.size
    magnitude = max(-low, high)
    if magnitude and not SQUARES_FIT[0] < magnitude < SQUARES_FIT[1]:
        return None
    if magnitude > EXACT_INTEGERS and type(low) is int:
        return None
    if low <= 0 <= high:
        result.zeros = size - int(np.count_nonzero(values))
    result.minimum = low
    result.maximum = high
    mean, spread = (float(low), 0.0) if low == high else _moments(values.astype(np.float64), np)
    result.mean = mean
    if size > 1:
        result.std = sqrt(spread / (size - 1))
    if magnitude >= element.huge:
        result.huge = element.is_huge(low, high)
    elif 0 < magnitude < element.smallest_normal:
        result.denormal = True
    return ShortScan(result)


def _finite_part(values: Any, shape: tuple[int, ...], result: Statistics, np: Any) -> Any:
    """The finite values; what is not finite is counted, with its first places."""
    finite = np.isfinite(values)
    bad = np.logical_not(finite)
    places = bad.nonzero()[0]
    offending = values[bad]
    nan = np.isnan(offending)
    negative = np.signbit(offending) & ~nan
    result.nan = int(np.count_nonzero(nan))
    result.negative_infinite = int(np.count_nonzero(negative))
    result.positive_infinite = offending.size - result.nan - result.negative_infinite
    for kind, mask in (
        (NAN, nan),
        (POSITIVE_INFINITE, ~(nan | negative)),
        (NEGATIVE_INFINITE, negative),
    ):
        first = places[mask][:FIRST].tolist()
        if first:
            result.offenders[kind] = [unflatten(place, shape) for place in first]
    return values[finite]


_ones: list[Any] = []


def _moments(wide: Any, np: Any) -> tuple[float, float]:
    """The mean of f64 values, which are overwritten, and the sum of their squared deviations from it."""
    if not _ones:
        _ones.append(np.ones(SHORT))
    size = wide.size
    ones = _ones[0][:size]
    total = float(ones.dot(wide))
    squares = float(wide.dot(wide))
    mean = total / size
    spread = squares - total * mean
    if spread < squares * CANCELLED:
        wide -= mean
        rest = float(ones.dot(wide))
        spread = max(0.0, float(wide.dot(wide)) - rest * rest / size)
        mean += rest / size
    return mean, spread


def _widen_bfloat16(np: Any, values: Any) -> Any:
    widened = values.astype(np.uint32)
    widened <<= 16
    return widened.view(np.float32)


def _widen_float16(np: Any, values: Any) -> Any:
    return values.astype(np.float32)


_Convert = Optional[Callable[[Any, Any], Any]]
_ENTRIES: dict[str, tuple[str, _Convert]] = {
    "f16": ("f2", _widen_float16),
    "bf16": ("u2", _widen_bfloat16),
    "bool": ("u1", None),
}
"""By short dtype name: numpy's dtype of the memory, and what makes ordinary numbers of it."""
for _name in ("f32", "f64", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"):
    _ENTRIES[_name] = (f"{_name[0]}{int(_name[1:]) // 8}", None)
