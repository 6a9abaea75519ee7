"""Reads numbers with numpy."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from typing import Any, Callable

from tensorpeek.probe.statistics.accumulator import NAN, NEGATIVE_INFINITE, POSITIVE_INFINITE, Accumulator
from tensorpeek.probe.statistics.numpy_kernels import Kernel
from tensorpeek.probe.statistics.plan import Region, Walk
from tensorpeek.probe.statistics.workspace import Workspace

Open = Callable[[Walk], Any]
"""Gives an array of the memory in a walk's shape and strides; None when the memory is gone."""

_idle: list[Workspace] = []
"""The workspace of the last scan, kept for the next: making one costs more than a short scan."""


class NumpyReader:
    """A reader of memory that numpy can address."""

    __slots__ = ("_array", "_conjugated", "_errors", "_kernel", "_open", "_work", "block")

    def __init__(self, kernel: Kernel, open_memory: Open, conjugated: bool = False) -> None:
        self._kernel = kernel
        self._open = open_memory
        self._conjugated = conjugated
        self.block = kernel.block
        self._array: Any = None
        self._errors: Any = None
        self._work: Workspace | Any = None

    def begin(self, walk: Walk) -> bool:
        self._array = self._open(walk)
        if self._array is None:
            return False
        np = sys.modules["numpy"]
        try:
            self._work = _idle.pop()
        except IndexError:
            self._work = Workspace(np)
        # Signalling NaNs and overflows would warn, and a user's filter could make that an error.
        self._errors = np.errstate(all="ignore")
        self._errors.__enter__()
        return True

    def end(self) -> None:
        self._errors.__exit__(None, None, None)
        self._errors = None
        self._array = None
        if not _idle:
            _idle.append(self._work)
        self._work = None

    def add(self, region: Region, into: Accumulator) -> None:
        self._kernel.add(self._dense(self._array[region.subscript]), into, self._work)

    def add_sample(self, stride: int, into: Accumulator) -> None:
        self._kernel.add(self._dense(self._array[::stride][: self.block]), into, self._work)

    def offending(self, region: Region) -> Iterator[tuple[str, Any]]:
        np = self._work.np
        values = self._kernel.floats(np, self._dense(self._array[region.subscript]))
        infinite = np.isinf(values)
        negative = np.signbit(values)
        for kind, mask in (
            (NAN, np.isnan(values)),
            (POSITIVE_INFINITE, infinite & ~negative),
            (NEGATIVE_INFINITE, infinite & negative),
        ):
            positions = mask.nonzero()[0]
            if positions.size:
                yield kind, positions

    def smallest(self, positions: Any, count: int) -> list[int]:
        if positions.size > count:
            positions = self._work.np.partition(positions, count - 1)[:count]
        return sorted(positions.tolist())

    def histogram(self, region: Region, bins: int, low: float, high: float) -> list[int]:
        np = self._work.np
        values = self._kernel.floats(np, self._dense(self._array[region.subscript])).astype(np.float64)
        values = values[np.isfinite(values)]
        if high - low == math.inf:
            values, low, high = values / 2, low / 2, high / 2
        places = ((values - low) / (high - low) * bins).clip(0, bins - 1)
        return np.bincount(places.astype(np.intp), minlength=bins).tolist()

    def _dense(self, chunk: Any) -> Any:
        """The chunk as one dense dimension in native byte order, a copy only where it is not so already."""
        flags = chunk.flags
        if flags.c_contiguous and flags.aligned and chunk.dtype.isnative and not self._conjugated:
            return chunk if chunk.ndim == 1 else chunk.reshape(-1)
        work = self._work
        native = chunk.dtype.newbyteorder("=")
        dense = work.raw[: chunk.size * native.itemsize].view(native)
        work.copyto(dense.reshape(chunk.shape), chunk)
        if self._conjugated:
            imaginary = dense[1::2]
            work.np.negative(imaginary, imaginary)
        return dense
