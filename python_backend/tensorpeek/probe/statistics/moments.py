"""Mean and squared deviations of a chunk, with numpy.

Sums run over short rows in the chunk's own precision and are merged in f64; squares are taken around a
shift near the mean where they would cancel. `dot` is kept to short vectors: BLAS starts threads for long
ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorpeek.probe.statistics.workspace import WIDE_BLOCK

if TYPE_CHECKING:
    from tensorpeek.probe.statistics.accumulator import Accumulator
    from tensorpeek.probe.statistics.workspace import Workspace

ROW = 2048
"""Numbers that are summed in their own precision."""
SHORT = 4096
"""Up to here one dot product in f64 is faster than rows."""
FAR = 256.0
"""A squared mean this many times the squared range costs f64 sums of squares less than 3 digits."""


def moments64(
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


def moments32(values: Any, into: Accumulator, work: Workspace, shift: float) -> None:
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


def shift64(low: float, high: float, into: Accumulator) -> float:
    """A shift that keeps sums of squares in f64 from cancelling; none where the mean is not far from zero."""
    if into.finite:
        mean = into.mean * into.unit
        return mean if mean * mean > FAR * (high - low) * (high - low) else 0.0
    middle = low / 2 + high / 2
    return middle if middle * middle > FAR * (high - low) * (high - low) else 0.0


def shift32(values: Any, into: Accumulator, work: Workspace) -> float:
    """A shift in f32: the mean so far, none while it is small beside the deviation."""
    if into.finite > SHORT:
        mean = into.mean
        if mean * mean * into.finite < into.squares / 64:
            return 0.0
    else:
        mean = float(work.sum(values[:1024], dtype=work.np.float64)) / 1024
    return float(work.np.float32(mean))
