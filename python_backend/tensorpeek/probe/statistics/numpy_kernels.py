"""Statistics of one chunk with numpy: few SIMD passes over data that stays in the cache, no temporary copies.

Minimum and maximum carry a NaN or an infinity along, so two finite ones prove the chunk finite.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, NamedTuple

from tensorpeek.probe.statistics.moments import SHORT, moments32, moments64, shift32, shift64
from tensorpeek.probe.statistics.workspace import BLOCK, BYTE_BLOCK, WIDE_BLOCK, Workspace

if TYPE_CHECKING:
    from tensorpeek.probe.statistics.accumulator import Accumulator

SQUARES_FIT = (1e-15, 1e15)
"""Magnitudes whose squares sum up in f32 without overflow or underflow."""
UNITS = (2.0**-600, 2.0**600)
UNIT_LIMITS = (1e-140, 1e140)
"""Magnitudes whose squares f64 holds; beyond them a unit of `UNITS` is used."""
EXACT_INTEGERS = 1 << 53

Add = Callable[[Any, "Accumulator", Workspace], None]


def _as_they_are(np: Any, values: Any) -> Any:
    return values


class Kernel(NamedTuple):
    """How elements of one dtype are read."""

    code: str
    """numpy's dtype of the memory."""
    block: int
    """Elements of a chunk."""
    add: Add
    """Merges a dense one-dimensional chunk, which it may not write to."""
    floats: Callable[[Any, Any], Any] = _as_they_are
    """numpy and such a chunk to its values as floats that tell NaN and infinities; a copy where need be."""


def _count_zeros(values: Any, work: Workspace) -> int:
    mask = work.mask[: values.size]
    work.equal(values, work.zero[values.dtype.char], mask)
    return int(work.count_true(mask))


def _finite_part(values: Any, into: Accumulator, work: Workspace) -> Any:
    np = work.np
    mask = work.mask[: values.size]
    np.isnan(values, mask)
    nan = int(work.count_true(mask))
    np.equal(values, np.inf, mask)
    positive = int(work.count_true(mask))
    np.isfinite(values, mask)
    finite = values[mask]
    into.nan += nan
    into.positive_infinite += positive
    into.negative_infinite += values.size - finite.size - nan - positive
    return finite


def _range_of_finite(values: Any, into: Accumulator, work: Workspace) -> tuple[Any, float, float]:
    """The finite values and their range; the others are counted. No values, no range."""
    low = float(work.minimum(values))
    high = float(work.maximum(values))
    if not (low - low == 0.0 == high - high):
        values = _finite_part(values, into, work)
        if not values.size:
            return values, 0.0, 0.0
        low = float(work.minimum(values))
        high = float(work.maximum(values))
    return values, low, high


def _add_range(values: Any, low: float, high: float, into: Accumulator, work: Workspace) -> None:
    if low <= 0 <= high:
        into.zeros += _count_zeros(values, work)
    into.add_range(low, high)


def add_float32(values: Any, into: Accumulator, work: Workspace) -> None:
    into.seen += values.size
    values, low, high = _range_of_finite(values, into, work)
    if values.size:
        _add_finite32(values, low, high, into, work)


def _add_finite32(values: Any, low: float, high: float, into: Accumulator, work: Workspace) -> None:
    _add_range(values, low, high, into, work)
    magnitude = max(-low, high)
    if values.size > SHORT and (not magnitude or SQUARES_FIT[0] < magnitude < SQUARES_FIT[1]):
        moments32(values, into, work, shift32(values, into, work))
    else:
        moments64(values, into, work, shift64(low, high, into))


def add_float64(values: Any, into: Accumulator, work: Workspace) -> None:
    into.seen += values.size
    values, low, high = _range_of_finite(values, into, work)
    if not values.size:
        return
    _add_range(values, low, high, into, work)
    magnitude = max(-low, high)
    unit = 1.0
    if magnitude == 0.0:
        unit = into.unit
    elif magnitude > UNIT_LIMITS[1]:
        unit = UNITS[1]
    elif magnitude < UNIT_LIMITS[0]:
        unit = UNITS[0]
    shift = shift64(low, high, into) if unit == 1.0 == into.unit else 0.0
    moments64(values, into, work, shift, unit)


def add_bfloat16(values: Any, into: Accumulator, work: Workspace) -> None:
    """bf16 is the upper half of f32."""
    bits = work.widened_bits[: values.size]
    work.copyto(bits, values)
    work.np.left_shift(bits, 16, bits)
    add_float32(work.widened[: values.size], into, work)


def _bfloat16_as_float32(np: Any, values: Any) -> Any:
    return np.left_shift(values, 16, dtype=np.uint32).view(np.float32)


def add_float16(values: Any, into: Accumulator, work: Workspace) -> None:
    """Moves the bits to their places in f32 and corrects the exponent's bias by a factor: 5 times numpy's
    speed."""
    np = work.np
    count = values.size
    widened = work.widened[:count]
    bits = work.widened_bits[:count].view(np.int32)
    work.copyto(bits, values.view(np.int16))
    np.left_shift(bits, 13, bits)
    np.bitwise_and(bits, np.int32(0x0FFFE000 - 0x80000000), bits)
    np.multiply(widened, np.float32(2.0**112), widened)
    low = float(work.minimum(widened))
    high = float(work.maximum(widened))
    if max(-low, high) < 65536.0:
        into.seen += count
        _add_finite32(widened, low, high, into, work)
    else:
        # What is NaN or infinite in f16 came out as a number above its range.
        work.copyto(widened, values)
        add_float32(widened, into, work)


def add_integer(values: Any, into: Accumulator, work: Workspace) -> None:
    low, high = _add_integer_range(values, into, work)
    if max(-low, high) > EXACT_INTEGERS and high - low < 1 << 63:
        # f64 would round such values: take the differences first, which wrap around to the right ones.
        differences = values - values.dtype.type(low)
        if values.dtype.kind == "i":
            differences = differences.view(work.np.uint64)
        moments64(differences, into, work, 0.0, origin=low)
    else:
        moments64(values, into, work, shift64(low, high, into))


def _add_integer_range(values: Any, into: Accumulator, work: Workspace) -> tuple[int, int]:
    into.seen += values.size
    low = int(work.minimum(values))
    high = int(work.maximum(values))
    _add_range(values, low, high, into, work)
    return low, high


def add_byte(values: Any, into: Accumulator, work: Workspace) -> None:
    """8-bit integers, through f32, where a shift that is a whole number keeps the sums exact."""
    low, high = _add_integer_range(values, into, work)
    if values.size <= SHORT:
        moments64(values, into, work, shift64(low, high, into))
        return
    widened = work.widened[: values.size]
    work.copyto(widened, values)
    moments32(widened, into, work, float((low + high) // 2))


def add_bool(values: Any, into: Accumulator, work: Workspace) -> None:
    count = values.size
    true = int(work.count_true(values))
    into.seen += count
    into.zeros += count - true
    into.add_range(int(true == count), int(true > 0))
    share = true / count
    into.add_moments(count, share, true * (1 - share))


def byte_table_kernel(table: tuple[float, ...]) -> Kernel:
    """For a float dtype of 8 bits: counts the 256 patterns, then reckons with what each stands for."""

    def add(values: Any, into: Accumulator, work: Workspace) -> None:
        counts = work.np.bincount(values, minlength=256)
        into.seen += values.size
        for pattern in counts.nonzero()[0].tolist():
            value, times = table[pattern], int(counts[pattern])
            if value != value:
                into.nan += times
            elif value - value != 0.0:
                if value > 0:
                    into.positive_infinite += times
                else:
                    into.negative_infinite += times
            else:
                if value == 0.0:
                    into.zeros += times
                into.add_range(value, value)
                into.add_moments(times, value, 0.0)

    return Kernel("u1", BLOCK, add, lambda np, values: np.array(table).take(values))


KERNELS: dict[str, Kernel] = {
    "f32": Kernel("f4", BLOCK, add_float32),
    "f64": Kernel("f8", WIDE_BLOCK, add_float64),
    "f16": Kernel("f2", BLOCK, add_float16),
    "bf16": Kernel("u2", BLOCK, add_bfloat16, _bfloat16_as_float32),
    "bool": Kernel("?", BYTE_BLOCK, add_bool),
    "i8": Kernel("i1", BLOCK, add_byte),
    "u8": Kernel("u1", BLOCK, add_byte),
    "i16": Kernel("i2", BLOCK, add_integer),
    "u16": Kernel("u2", BLOCK, add_integer),
    "i32": Kernel("i4", BLOCK, add_integer),
    "u32": Kernel("u4", BLOCK, add_integer),
    "i64": Kernel("i8", WIDE_BLOCK, add_integer),
    "u64": Kernel("u8", WIDE_BLOCK, add_integer),
}
"""By the short name of the elements' (or their parts') dtype."""
