"""Statistics of tensors on a CUDA device: computed there, with one synchronization and one small answer per
value.

Never waits past its deadline: work queued by the user's program, or a collective that hangs, may be before
ours.
"""

from __future__ import annotations

import math
import struct
import sys
import time
from typing import Any, Protocol

from tensorpeek.probe.budget import Deadline
from tensorpeek.probe.statistics.accumulator import Accumulator, Statistics
from tensorpeek.probe.statistics.plan import Blocks, Walk, golden_step, walk
from tensorpeek.probe.statistics.torch_reader import SIGN, unobserved
from tensorpeek.probe.tensors.dtypes import element_type

BLOCK = 1 << 20
"""Numbers of a chunk: some 20 MiB of scratch on the device, from torch's own allocator."""
POLL_S = 0.0002


def scan_on_device(tensor: Any) -> DeviceScan | None:
    """The scan of an ordinary strided tensor on a CUDA device; None for the memory of any other device."""
    if tensor.device.type != "cuda" or element_type(tensor.dtype).kernel is None:
        return None
    return DeviceScan(tensor, CudaDevice(tensor.device))


class Device(Protocol):
    """The few calls that are the device's own."""

    def is_capturing(self) -> bool:
        """Whether the current stream is being captured into a graph, which no other work may enter."""
        ...

    def mark(self) -> Any:
        """An event behind all work queued so far; its `query()` tells whether that is done."""
        ...


class CudaDevice:
    """One device, by `torch.cuda`."""

    def __init__(self, device: Any) -> None:
        self._device = device
        self._cuda = sys.modules["torch"].cuda

    def is_capturing(self) -> bool:
        with self._cuda.device(self._device):
            return bool(self._cuda.is_current_stream_capturing())

    def mark(self) -> Any:
        event = self._cuda.Event()
        event.record(self._cuda.current_stream(self._device))
        return event


class DeviceScan:
    """The statistics of one tensor on a device, in the manner of `statistics.Scan`."""

    def __init__(self, tensor: Any, device: Device) -> None:
        self._tensor = tensor
        self._device = device
        self._element = element_type(tensor.dtype)
        self._size = tensor.numel() * self._element.parts
        self._walk = _walk_of(tensor, self._element.parts)
        self._blocks = Blocks(self._walk, BLOCK)
        self._step = golden_step(self._blocks.count)
        self._next = 0
        self._queued: list[Any] = []
        """A row of totals per chunk, still on the device."""
        self._mark: Any = None
        self._accumulator = Accumulator()
        self._problem = ""

    @property
    def cost(self) -> int:
        """Numbers still to be read; expanded ones count once."""
        return 0 if self._problem else self._size // self._walk.repeats - self._accumulator.seen

    def advance(self, deadline: Deadline) -> bool:
        """Queues chunks, then waits for their totals, neither past the deadline; True when done."""
        if not self.cost:
            return True
        try:
            with unobserved(sys.modules["torch"]._C):
                if self._device.is_capturing():
                    self._problem = "stream is being captured"
                    return True
                if self._mark is None:
                    self._mark = self._queue(deadline)
                while not self._mark.query():
                    if deadline.expired:
                        return False
                    time.sleep(POLL_S)
                self._collect()
        except Exception as error:  # noqa: BLE001  any failure of the device is for the user to read
            self._problem = _first_line(error)
            self._queued.clear()
        return not self.cost

    def _queue(self, deadline: Deadline) -> Any:
        numbers = self._tensor.detach()
        conjugated = numbers.is_conj()
        if self._element.parts > 1:
            numbers = sys.modules["torch"].view_as_real(numbers.conj() if conjugated else numbers)
        numbers = numbers.as_strided(self._walk.shape, self._walk.strides)
        while self._next < self._blocks.count:
            region = self._blocks.region(self._next * self._step % self._blocks.count)
            chunk = numbers[region.subscript].reshape(-1)
            if conjugated:
                chunk = chunk.clone()
                chunk[1::2].neg_()
            self._queued.append(_totals(chunk, self._element.kernel or ""))
            self._next += 1
            if deadline.expired:
                break
        return self._device.mark()

    def _collect(self) -> None:
        rows = sys.modules["torch"].stack(self._queued).tolist()
        self._queued.clear()
        self._mark = None
        for row in rows:
            _merge(row, self._element.kernel or "", self._accumulator)

    @property
    def statistics(self) -> Statistics:
        """What is known so far; `problem` says what went wrong on the device."""
        result = self._accumulator.statistics(self._size, self._walk.repeats)
        result.problem = self._problem
        low, high = result.minimum, result.maximum
        if low is not None and high is not None:
            result.denormal = 0 < max(-low, high) < self._element.smallest_normal
            result.huge = self._element.is_huge(low, high)
        return result


def _walk_of(tensor: Any, parts: int) -> Walk:
    shape, strides = tuple(tensor.shape), tuple(tensor.stride())
    if parts > 1:
        shape, strides = (*shape, parts), (*(stride * parts for stride in strides), 1)
    return walk(shape, strides)


def _totals(values: Any, name: str) -> Any:
    """Eleven totals of a chunk in one tensor on its device, so that one copy brings all of them.

    NaN, +Inf, −Inf, zeros, mean, squared deviations, minimum and maximum as the bits of f64; then count,
    and minimum and maximum as integers, which f64 could round.
    """
    torch = sys.modules["torch"]
    wide = values.double()
    whole = not values.is_floating_point()
    if name == "u64":
        # torch compares no u64: its bits, shifted into the range of i64, keep the order.
        values = values.view(torch.int64) ^ SIGN
    finite = wide.isfinite()
    count = finite.sum()
    mean = wide.where(finite, 0.0).sum() / count
    deviations = (wide - mean).where(finite, 0.0)
    floats = (
        wide.isnan().sum(),
        (wide == math.inf).sum(),
        (wide == -math.inf).sum(),
        (wide == 0).sum(),
        mean,
        (deviations * deviations).sum(),
        wide.where(finite, math.inf).min(),
        wide.where(finite, -math.inf).max(),
    )
    integers = values.long() if whole else count.reshape(1)
    return torch.cat(
        (
            torch.stack([total.double() for total in floats]).view(torch.int64),
            torch.stack((torch.full_like(count, values.numel()), integers.min(), integers.max())),
        )
    )


def _merge(row: list[int], name: str, into: Accumulator) -> None:
    bits = struct.pack("8q", *row[:8])
    nan, positive, negative, zeros, mean, squares, low, high = struct.unpack("8d", bits)
    count, least, greatest = row[8:]
    if name == "u64":
        least, greatest = least - SIGN, greatest - SIGN
    if name == "bool" or name[0] in "iu":
        low, high = least, greatest
    into.seen += count
    into.nan += int(nan)
    into.positive_infinite += int(positive)
    into.negative_infinite += int(negative)
    into.zeros += int(zeros)
    finite = count - int(nan + positive + negative)
    if finite:
        into.add_range(low, high)
        into.add_moments(finite, mean, squares)


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0] or type(error).__name__
