"""Statistics of one chunk with numpy: few SIMD passes over data that stays in the cache, no temporary copies.

Minimum and maximum carry a NaN or an infinity along, so two finite ones prove the chunk finite. Sums run
over short rows in the chunk's own precision and are merged in f64; squares are taken around a shift near
the mean, so nothing cancels. `np.dot` is kept to short vectors: BLAS starts threads for long ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, NamedTuple

if TYPE_CHECKING:
    from tensorpeek.probe.statistics.accumulator import Accumulator

BLOCK = 65536
"""Elements of a chunk of at most 4 bytes each: 256 KiB of f32 stay in a core's L2 cache."""
WIDE_BLOCK = 32768
"""Elements of a chunk of 8 bytes each."""
BYTE_BLOCK = BLOCK * 4
"""Elements of a chunk of bytes that nothing has to be made of."""
ROW = 2048
"""Numbers that are summed in their own precision."""
SHORT = 4096
"""Up to here one dot product in f64 is faster than rows."""
SQUARES_FIT = (1e-15, 1e15)
"""Magnitudes whose squares sum up in f32 without overflow or underflow."""
UNITS = (2.0**-600, 2.0**600)
UNIT_LIMITS = (1e-140, 1e140)
"""Magnitudes whose squares f64 holds; beyond them a unit of `UNITS` is used."""
FAR = 256.0
"""A squared mean this many times the squared range costs f64 sums of squares less than 3 digits."""
EXACT_INTEGERS = 1 << 53


class Workspace:
    """Scratch memory of one running scan, 1.2 MiB, reused by the next."""

    def __init__(self, np: Any) -> None:
        self.np = np
        self.raw = np.empty(BLOCK * 4, np.uint8)
        """A dense copy of a chunk that is not dense in memory."""
        self.widened = np.empty(BLOCK, np.float32)
        """A chunk of a narrower dtype as f32."""
        self.shifted = np.empty(BLOCK, np.float32)
        self.wide = np.empty(WIDE_BLOCK, np.float64)
        self.mask = np.empty(BLOCK, np.bool_)
        self.widened_bits = self.widened.view(np.uint32)
        self.minimum = np.minimum.reduce
        self.maximum = np.maximum.reduce
        self.sum = np.add.reduce
        self.equal = np.equal
        self.copyto = np.copyto
        self.subtract = np.subtract
        self.count_true = np.count_nonzero
        self.row_squares = getattr(np, "vecdot", None) or (lambda a, b: np.einsum("ij,ij->i", a, b))
        # An array, since numpy converts a Python number anew at every call.
        self.zero = {code: np.zeros((), code) for code in "fdbBhHiIlLqQ"}


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


def _moments64(
    values: Any, into: Accumulator, work: Workspace, shift: float, unit: float = 1.0, origin: int = 0
) -> None:
    """Merges finite values of any real dtype, through f64; they are less than the true ones by the
    origin."""
    ready = values.dtype.char == "d" and unit == 1.0
    for start in range(0, values.size, WIDE_BLOCK):
        part = values[start : start + WIDE_BLOCK]
        count = part.size
        if ready and not shift:
            wide = part
        else:
            wide = work.wide[:count]
            if ready:
                work.subtract(part, shift, wide)
            else:
                work.copyto(wide, part)
                if unit != 1.0:
                    wide *= 1.0 / unit
                if shift:
                    work.subtract(wide, shift / unit, wide)
        _merge_sums(*_sums64(wide, work), count, into, origin + shift / unit, unit)


def _merge_sums(
    total: float, squares: float, count: int, into: Accumulator, shift: float, unit: float = 1.0
) -> None:
    into.add_moments(count, shift + total / count, max(0.0, squares - total * total / count), unit)


def _sums64(wide: Any, work: Workspace) -> tuple[float, float]:
    """Sum and sum of squares of f64 values."""
    count = wide.size
    if count <= SHORT:
        return float(work.sum(wide)), float(wide.dot(wide))
    even = count - count % ROW
    rows = wide[:even].reshape(-1, ROW)
    total = float(work.sum(work.np.einsum("ij->i", rows)))
    squares = float(work.sum(work.row_squares(rows, rows)))
    if even < count:
        rest = wide[even:]
        total += float(work.sum(rest))
        squares += float(rest.dot(rest))
    return total, squares


def _moments32(values: Any, into: Accumulator, work: Workspace, shift: float) -> None:
    """Merges more than `SHORT` finite f32 values of ordinary magnitude; a shift must be exact in f32."""
    np = work.np
    count = values.size
    if shift:
        shifted = work.shifted[:count]
        work.subtract(values, np.float32(shift), shifted)
        values = shifted
    even = count - count % ROW
    rows = values[:even].reshape(-1, ROW)
    total = float(work.sum(np.einsum("ij->i", rows), dtype=np.float64))
    squares = float(work.sum(work.row_squares(rows, rows), dtype=np.float64))
    if even < count:
        rest = work.wide[: count - even]
        work.copyto(rest, values[even:])
        total += float(work.sum(rest))
        squares += float(rest.dot(rest))
    _merge_sums(total, squares, count, into, shift)


def _shift64(low: float, high: float, into: Accumulator) -> float:
    """A shift that keeps sums of squares in f64 from cancelling; none where the mean is not far from zero."""
    if into.finite:
        mean = into.mean * into.unit
        return mean if mean * mean > FAR * (high - low) * (high - low) else 0.0
    middle = low / 2 + high / 2
    return middle if middle * middle > FAR * (high - low) * (high - low) else 0.0


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
        _moments32(values, into, work, _near_mean(values, into, work))
    else:
        _moments64(values, into, work, _shift64(low, high, into))


def _near_mean(values: Any, into: Accumulator, work: Workspace) -> float:
    """A shift in f32: the mean so far, none while it is small beside the deviation."""
    if into.finite > SHORT:
        mean = into.mean
        if mean * mean * into.finite < into.squares / 64:
            return 0.0
    else:
        mean = float(work.sum(values[:1024], dtype=work.np.float64)) / 1024
    return float(work.np.float32(mean))


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
    shift = _shift64(low, high, into) if unit == 1.0 == into.unit else 0.0
    _moments64(values, into, work, shift, unit)


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
        _moments64(differences, into, work, 0.0, origin=low)
    else:
        _moments64(values, into, work, _shift64(low, high, into))


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
        _moments64(values, into, work, _shift64(low, high, into))
        return
    widened = work.widened[: values.size]
    work.copyto(widened, values)
    _moments32(widened, into, work, float((low + high) // 2))


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
