"""Reading all elements of a tensor or array in as many slices of time as it takes."""

from __future__ import annotations

import sys
from typing import Any, Callable, NamedTuple

from tensorpeek.probe.budget import Deadline
from tensorpeek.probe.statistics import numpy_kernels
from tensorpeek.probe.statistics.accumulator import Accumulator, Statistics
from tensorpeek.probe.statistics.numpy_kernels import Kernel, Workspace
from tensorpeek.probe.statistics.offenders import Offenders
from tensorpeek.probe.statistics.plan import Blocks, golden_step, walk

SEED = 32768
"""Elements read with one long stride, before the blocks, of what is too large for the time given."""
NANOSECONDS_PER_ELEMENT = 1.0
"""A careful guess of the work, to decide on the seed."""


class Numbers(NamedTuple):
    """The real numbers to be read: elements, or the parts of complex ones. Strides count numbers."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    size: int
    dense: bool
    item_bytes: int
    huge: float = float("inf")
    maximum: float = float("inf")
    smallest_normal: float = 0.0
    negated: bool = False
    conjugated: bool = False
    native: bool = True


Open = Callable[[tuple[int, ...], tuple[int, ...]], Any]
"""Gives an array of the memory in another shape and strides (of numbers), None when the memory is gone."""


class Scan:
    """The statistics of one value, growing with every `advance` until they are exact.

    Blocks are visited in an order that spreads them evenly over the memory, so that a part is a fair sample and the
    rest of the same order makes it exact.
    """

    __slots__ = (
        "_accumulator",
        "_blocks",
        "_kernel",
        "_next",
        "_numbers",
        "_offenders",
        "_open",
        "_result",
        "_seed",
        "_step",
        "_walk",
        "lost",
    )

    def __init__(self, numbers: Numbers, kernel: Kernel, open_memory: Open) -> None:
        self._numbers = numbers
        self._kernel = kernel
        self._open = open_memory
        if numbers.dense:
            self._walk = None
            shape: tuple[int, ...] = (numbers.size,)
        else:
            self._walk = walk(numbers.shape, numbers.strides)
            shape = self._walk.shape
        self._blocks: Blocks | None = None
        if not numbers.dense or numbers.size > kernel.block:
            self._blocks = Blocks(shape, kernel.block)
        self._step = 0
        self._next = 0
        self._accumulator = Accumulator()
        self._seed: Accumulator | None = None
        self._offenders: Offenders | None = None
        self._result: Statistics | None = None
        self.lost = False
        """The memory was freed or moved before all of it was read: the statistics stay partial."""

    @property
    def cost(self) -> int:
        """Numbers still to be read."""
        if self.lost:
            return 0
        size = self._numbers.size if self._walk is None else self._numbers.size // self._walk.repeats
        return size - self._accumulator.seen

    @property
    def parts(self) -> int:
        """Numbers to be read in all; expanded ones once."""
        return self._numbers.size if self._walk is None else self._numbers.size // self._walk.repeats

    def advance(self, deadline: Deadline) -> bool:
        """Reads at least one block and goes on until all is read (True) or the deadline has come (False)."""
        if self.lost or not self.cost:
            return True
        self._result = None
        np = sys.modules["numpy"]
        array = self._array()
        if array is None:
            self.lost = True
            return True
        work = numpy_kernels.borrow()
        try:
            # Signalling NaNs and overflows would warn, and a user's filter could make that an error.
            with np.errstate(all="ignore"):
                if self._blocks is None:
                    self._add(array, work, 0, (1,))
                else:
                    self._advance_blocks(array, work, deadline)
        finally:
            numpy_kernels.give_back(work)
        return not self.cost

    def _advance_blocks(self, array: Any, work: Workspace, deadline: Deadline) -> None:
        blocks = self._blocks
        assert blocks is not None
        if not self._step:
            self._step = golden_step(blocks.count)
            self._take_seed(array, work, deadline)
        strides = (1,) if self._walk is None else self._walk.strides
        while self._next < blocks.count:
            index = blocks.index(self._next * self._step % blocks.count)
            origin = 0
            for part, stride in zip(index, strides):
                origin += (part.start if isinstance(part, slice) else part) * stride  # type: ignore[operator]
            self._add(array[index], work, origin, strides)
            self._next += 1
            if deadline.expired:
                return

    def visit(self, see: Callable[[Any, Any], None], deadline: Deadline) -> None:
        """Shows blocks, evenly spread and all of them if there is time, to `see`: numpy and their finite floats."""
        array = self._array()
        if array is None:
            return
        blocks = self._blocks or Blocks(array.shape, self._kernel.block)
        step = golden_step(blocks.count)
        work = numpy_kernels.borrow()
        try:
            with work.np.errstate(all="ignore"):
                for i in range(blocks.count):
                    dense = self._dense(array[blocks.index(i * step % blocks.count)], work)
                    values = self._kernel.floats(work.np, dense)
                    if values.dtype.kind == "f":
                        values = values[work.np.isfinite(values)]
                    see(work.np, -values if self._numbers.negated else values)
                    if deadline.expired:
                        return
        finally:
            numpy_kernels.give_back(work)

    def _array(self) -> Any:
        if self._walk is None:
            return self._open((self._numbers.size,), (1,))
        return self._open(self._walk.shape, self._walk.strides)

    def _take_seed(self, array: Any, work: Workspace, deadline: Deadline) -> None:
        """Blocks can miss what lies in few places; single elements from everywhere rarely do."""
        if array.ndim != 1 or deadline.remaining_ms * 1e6 > array.size * NANOSECONDS_PER_ELEMENT:
            return
        stride = golden_step(max(1, array.size // SEED))
        while array.size % stride == 0:
            stride += 1
        stride = max(stride, array.size // SEED | 1)
        self._seed = Accumulator()
        sample = self._dense(array[::stride][: self._kernel.block], work)
        self._kernel.add(sample, self._seed, work)

    def _add(self, chunk: Any, work: Workspace, origin: int, strides: tuple[int, ...]) -> None:
        total = self._accumulator
        finite = total.finite
        values = self._dense(chunk, work)
        self._kernel.add(values, total, work)
        if total.finite - finite < values.size:
            if self._offenders is None:
                self._offenders = Offenders(self._numbers.shape, self._numbers.strides)
            strides = strides[len(strides) - chunk.ndim :]
            self._offenders.visit(work.np, self._kernel.floats(work.np, values), origin, chunk.shape, strides)

    def _dense(self, chunk: Any, work: Workspace) -> Any:
        """The chunk as one dense dimension in native byte order, a copy only where it is not so already."""
        numbers = self._numbers
        if chunk.flags.c_contiguous and numbers.native and not numbers.conjugated:
            return chunk if chunk.ndim == 1 else chunk.reshape(-1)
        kind = work.np.dtype(self._kernel.code)
        dense = work.raw[: chunk.size * kind.itemsize].view(kind)
        work.copyto(dense.reshape(chunk.shape), chunk)
        if numbers.conjugated:
            imaginary = dense[1::2]
            work.np.negative(imaginary, imaginary)
        return dense

    @property
    def statistics(self) -> Statistics:
        """What is known so far."""
        if self._result is None:
            self._result = self._conclude()
        return self._result

    def _conclude(self) -> Statistics:
        numbers = self._numbers
        repeats = 1 if self._walk is None else self._walk.repeats
        result = self._accumulator.statistics(numbers.size, repeats)
        if self._seed is not None and not result.exact:
            _raise_bounds(result, self._seed.statistics(numbers.size))
        if numbers.negated:
            _negate(result)
        if result.minimum is not None and result.maximum is not None:
            magnitude = max(-result.minimum, result.maximum)
            result.denormal = 0 < magnitude < numbers.smallest_normal
            # The limits themselves are what masks are filled with.
            result.huge = (
                numbers.huge <= -result.minimum < numbers.maximum
                or numbers.huge <= result.maximum < numbers.maximum
            )
        if self._offenders is not None:
            result.offenders = self._offenders.indices()
        return result


def _raise_bounds(result: Statistics, seed: Statistics) -> None:
    """Counts and bounds that the seed proves and the blocks have not met yet."""
    result.nan = max(result.nan, seed.nan)
    result.positive_infinite = max(result.positive_infinite, seed.positive_infinite)
    result.negative_infinite = max(result.negative_infinite, seed.negative_infinite)
    result.zeros = max(result.zeros, seed.zeros)
    minima: list[Any] = [low for low in (result.minimum, seed.minimum) if low is not None]
    maxima: list[Any] = [high for high in (result.maximum, seed.maximum) if high is not None]
    result.minimum = min(minima, default=None)
    result.maximum = max(maxima, default=None)


def _negate(result: Statistics) -> None:
    """The memory of a tensor with torch's lazy negation holds the opposite of every element."""
    if result.minimum is not None and result.maximum is not None and result.mean is not None:
        result.minimum, result.maximum, result.mean = -result.maximum, -result.minimum, -result.mean
    result.positive_infinite, result.negative_infinite = result.negative_infinite, result.positive_infinite
