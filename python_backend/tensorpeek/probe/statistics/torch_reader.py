"""Reads numbers with torch alone, in a process that has not imported numpy.

Unlike numpy's, these operations are dispatched: modes, hooks and graph are kept from noticing them, a
profiler is not. Blocks stay below the size from which torch starts threads, since after a fork those hang.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any, Callable

from tensorpeek.probe.statistics.accumulator import NAN, NEGATIVE_INFINITE, POSITIVE_INFINITE, Accumulator
from tensorpeek.probe.statistics.numpy_kernels import UNITS
from tensorpeek.probe.statistics.plan import Region, Walk

BLOCK = 16384
"""Numbers of a chunk; torch runs below 32768 in one thread."""
SIGN = -(1 << 63)
WHOLE = 1 << 63

Open = Callable[[Walk], Any]
"""Gives a tensor of the memory's numbers in a walk's shape and strides; None when the memory is gone."""


class TorchReader:
    """A reader of memory through a tensor."""

    block = BLOCK

    def __init__(self, name: str, open_memory: Open, conjugated: bool = False) -> None:
        self._name = name
        """The short dtype name of the numbers."""
        self._open = open_memory
        self._conjugated = conjugated
        self._numbers: Any = None
        self._guards = ExitStack()

    def begin(self, walk: Walk) -> bool:
        core = sys.modules["torch"]._C
        self._guards = unobserved(core)
        self._numbers = self._open(walk)
        if self._numbers is None:
            self.end()
            return False
        return True

    def end(self) -> None:
        self._numbers = None
        self._guards.close()

    def add(self, region: Region, into: Accumulator) -> None:
        self._add(self._dense(self._numbers[region.subscript]), into)

    def add_sample(self, stride: int, into: Accumulator) -> None:
        self._add(self._dense(self._numbers[::stride][:BLOCK]), into)

    def _dense(self, chunk: Any) -> Any:
        values = chunk.reshape(-1)
        if self._conjugated:
            values = values.clone()
            values[1::2].neg_()
        return values

    def _add(self, values: Any, into: Accumulator) -> None:
        into.seen += values.numel()
        if self._name == "u64":
            # torch compares no u64: its bits, shifted into the range of i64, keep the order.
            _add_integers(values.view(sys.modules["torch"].int64) ^ SIGN, into, WHOLE)
        elif self._name[0] in "iu" or self._name == "bool":
            _add_integers(values.long(), into)
        else:
            _add_floats(self._double(values), into)

    def _double(self, values: Any) -> Any:
        # torch converts some 8-bit floats to f32 only.
        return values.float().double() if self._name.startswith("f8") else values.double()

    def _doubles(self, region: Region) -> Any:
        return self._double(self._dense(self._numbers[region.subscript]))

    def offending(self, region: Region) -> Iterator[tuple[str, Any]]:
        values = self._doubles(region)
        for kind, mask in (
            (NAN, values.isnan()),
            (POSITIVE_INFINITE, values == math.inf),
            (NEGATIVE_INFINITE, values == -math.inf),
        ):
            positions = mask.nonzero().reshape(-1)
            if positions.numel():
                yield kind, positions

    def smallest(self, positions: Any, count: int) -> list[int]:
        return positions.sort()[0][:count].tolist()

    def histogram(self, region: Region, bins: int, low: float, high: float) -> list[int]:
        values = self._doubles(region)
        values = values[values.isfinite()]
        if high - low == math.inf:
            values, low, high = values / 2, low / 2, high / 2
        places = ((values - low) / (high - low) * bins).clamp(0, bins - 1)
        return places.long().bincount(minlength=bins).tolist()


def unobserved(core: Any) -> ExitStack:
    """Keeps what is dispatched until it is closed from the user's modes, hooks and graph."""
    guards = ExitStack()
    for guard in (core.DisableTorchFunction, core._DisableTorchDispatch, core._AutoDispatchBelowAutograd):
        guards.enter_context(guard())
    return guards


def _add_floats(values: Any, into: Accumulator) -> None:
    """Merges f64 values."""
    finite = values.isfinite()
    count = int(finite.sum())
    if count < values.numel():
        nan = int(values.isnan().sum())
        positive = int((values == math.inf).sum())
        into.nan += nan
        into.positive_infinite += positive
        into.negative_infinite += values.numel() - count - nan - positive
        values = values[finite]
        if not count:
            return
    low, high = (bound.item() for bound in values.aminmax())
    if low <= 0.0 <= high:
        into.zeros += int((values == 0).sum())
    into.add_range(low, high)
    magnitude = max(-low, high)
    unit = into.unit if not magnitude else 1.0
    if magnitude > 1e140:
        unit = UNITS[1]
    elif 0 < magnitude < 1e-140:
        unit = UNITS[0]
    _add_moments(values if unit == 1.0 else values * (1 / unit), into, unit)


def _add_integers(wide: Any, into: Accumulator, offset: int = 0) -> None:
    """Merges i64 values that are less than the true ones by `offset`."""
    low, high = (bound.item() for bound in wide.aminmax())
    if low <= -offset <= high:
        into.zeros += int((wide == -offset).sum())
    into.add_range(low + offset, high + offset)
    # The differences from one of them are exact where the values are beyond f64's whole numbers.
    origin = low if high - low < WHOLE else 0
    _add_moments((wide - origin).double(), into, 1.0, origin + offset)


def _add_moments(values: Any, into: Accumulator, unit: float, origin: float = 0) -> None:
    count = values.numel()
    shift = float(values.mean())
    values = values - shift
    rest = float(values.sum())
    squares = float((values * values).sum())
    into.add_moments(count, origin + shift + rest / count, max(0.0, squares - rest * rest / count), unit)
