"""Reading all numbers of a tensor or array in as many slices of time as it takes."""

from __future__ import annotations

from tensorpeek.probe.budget import Deadline
from tensorpeek.probe.statistics.accumulator import (
    NEGATIVE_INFINITE,
    POSITIVE_INFINITE,
    Accumulator,
    Statistics,
)
from tensorpeek.probe.statistics.offenders import Offenders
from tensorpeek.probe.statistics.plan import Blocks, Region, Walk, golden_step, walk
from tensorpeek.probe.statistics.reader import Numbers, Reader

SEED = 32768
"""Numbers read with one long stride, before the blocks, of what is too large for the time given."""
NUMBERS_PER_MS = 1e6
"""A careful guess of the speed, to decide on the seed."""
LEAST_SEED_MS = 2.0
"""The seed takes 0.2 ms of cache misses, too much of a smaller share of an answer with many values."""


class Scan:
    """The statistics of one value, growing with every `advance` until they are exact.

    Blocks are visited in an order that spreads them evenly over the memory, so that a part is a fair sample
    and the rest of the same order makes it exact.
    """

    __slots__ = (
        "_accumulator",
        "_blocks",
        "_next",
        "_numbers",
        "_offenders",
        "_reader",
        "_result",
        "_seed",
        "_size",
        "_step",
        "_walk",
        "_lost",
    )

    def __init__(self, numbers: Numbers, reader: Reader) -> None:
        self._numbers = numbers
        self._reader = reader
        if numbers.dense:
            self._walk = Walk((numbers.size,), (1,), 1)
        else:
            self._walk = walk(numbers.shape, numbers.strides)
        self._size = numbers.size // self._walk.repeats
        self._blocks = Blocks(self._walk, reader.block)
        self._step = golden_step(self._blocks.count)
        self._next = 0
        self._accumulator = Accumulator()
        self._seed: Accumulator | None = None
        self._offenders: Offenders | None = None
        self._result: Statistics | None = None
        self._lost = False
        """The memory was freed or moved before all of it was read: the statistics stay partial."""

    @property
    def cost(self) -> int:
        """Numbers still to be read; expanded ones count once."""
        return 0 if self._lost else self._size - self._accumulator.seen

    def advance(self, deadline: Deadline) -> bool:
        """Reads at least one block and goes on until all is read (True) or the deadline has come (False)."""
        if not self.cost:
            return True
        self._result = None
        if not self._reader.begin(self._walk):
            self._lost = True
            return True
        try:
            if not self._next:
                self._take_seed(deadline)
            while self._next < self._blocks.count:
                self._add(self._blocks.region(self._next * self._step % self._blocks.count))
                self._next += 1
                if deadline.expired:
                    break
        finally:
            self._reader.end()
        return not self.cost

    def _take_seed(self, deadline: Deadline) -> None:
        """Blocks can miss what lies in few places; single numbers from everywhere rarely do."""
        time_ms = deadline.remaining_ms
        if len(self._walk.shape) > 1 or self._size < time_ms * NUMBERS_PER_MS or time_ms < LEAST_SEED_MS:
            return
        stride = self._size // SEED | 1
        if stride > 1:
            self._seed = Accumulator()
            self._reader.add_sample(stride, self._seed)

    def _add(self, region: Region) -> None:
        total = self._accumulator
        others = total.seen - total.finite
        self._reader.add(region, total)
        if total.seen - total.finite > others:
            if self._offenders is None:
                self._offenders = Offenders(self._numbers.shape, self._numbers.strides)
            self._offenders.visit(region, self._reader)

    def histogram(self, counts: list[int], first: int, deadline: Deadline) -> int:
        """Adds to the counts how many finite numbers lie in each of as many equal parts of the range.

        Reads at least one block, from the `first` on, until the deadline, spread evenly like those of
        `advance`; gives the block to go on with. Nothing is added where there is no range.
        """
        low, high = self._accumulator.minimum, self._accumulator.maximum
        if first >= self.blocks or not low < high or not self._reader.begin(self._walk):
            return self.blocks
        try:
            for number in range(first, self.blocks):
                region = self._blocks.region(number * self._step % self.blocks)
                found = self._reader.histogram(region, len(counts), float(low), float(high))
                for bin_, times in enumerate(reversed(list(found)) if self._numbers.negated else found):
                    counts[bin_] += times
                if deadline.expired:
                    return number + 1
        finally:
            self._reader.end()
        return self.blocks

    @property
    def blocks(self) -> int:
        """How many there are to read."""
        return self._blocks.count

    @property
    def statistics(self) -> Statistics:
        """What is known so far."""
        if self._result is None:
            self._result = self._conclude()
        return self._result

    def _conclude(self) -> Statistics:
        numbers = self._numbers
        result = self._accumulator.statistics(numbers.size, self._walk.repeats)
        if self._seed is not None and not result.exact:
            _widen(result, self._seed.statistics(numbers.size))
        if self._lost:
            result.problem = "memory freed while it was read"
        if self._offenders is not None:
            result.offenders = self._offenders.indices()
        if numbers.negated:
            _negate(result)
        low, high = result.minimum, result.maximum
        if low is not None and high is not None:
            result.denormal = 0 < max(-low, high) < numbers.element.smallest_normal
            result.huge = numbers.element.is_huge(low, high)
        return result


def _widen(result: Statistics, seed: Statistics) -> None:
    """Adds the bounds that the seed proves and the blocks have not met yet."""
    result.nan = max(result.nan, seed.nan)
    result.positive_infinite = max(result.positive_infinite, seed.positive_infinite)
    result.negative_infinite = max(result.negative_infinite, seed.negative_infinite)
    result.zeros = max(result.zeros, seed.zeros)
    result.minimum = min((low for low in (result.minimum, seed.minimum) if low is not None), default=None)
    result.maximum = max((high for high in (result.maximum, seed.maximum) if high is not None), default=None)


def _negate(result: Statistics) -> None:
    """The memory of a tensor with torch's lazy negation holds the opposite of every element."""
    if result.minimum is not None and result.maximum is not None and result.mean is not None:
        result.minimum, result.maximum, result.mean = -result.maximum, -result.minimum, -result.mean
    result.positive_infinite, result.negative_infinite = result.negative_infinite, result.positive_infinite
    swapped = {POSITIVE_INFINITE: NEGATIVE_INFINITE, NEGATIVE_INFINITE: POSITIVE_INFINITE}
    result.offenders = {swapped.get(kind, kind): places for kind, places in result.offenders.items()}
