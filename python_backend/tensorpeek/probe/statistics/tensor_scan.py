"""Scans of torch tensors."""

from __future__ import annotations

import sys
from typing import Any, Callable, Union

from tensorpeek.probe.statistics.numpy_kernels import KERNELS, Kernel, byte_table_kernel
from tensorpeek.probe.statistics.numpy_reader import NumpyReader
from tensorpeek.probe.statistics.plan import Walk
from tensorpeek.probe.statistics.reader import Numbers
from tensorpeek.probe.statistics.scan import Scan
from tensorpeek.probe.statistics.short_scan import SHORT, ShortScan, short_scan
from tensorpeek.probe.statistics.torch_reader import TorchReader
from tensorpeek.probe.tensors.address_view import Memory, locate, view_short
from tensorpeek.probe.tensors.cuda import DeviceScan, scan_on_device
from tensorpeek.probe.tensors.dtypes import float8_values
from tensorpeek.probe.tensors.unwrap import readable

AnyScan = Union[Scan, ShortScan, DeviceScan]

_float8_kernels: dict[str, Kernel] = {}


def scan_tensor(tensor: Any) -> AnyScan | None:
    """The scan of a tensor's elements, None where there is nothing to read; `tensor_facts` then says why.

    Wrapped tensors are scanned through what they wrap, sparse and nested ones through their values, quantized
    ones through their stored integers. A short dense tensor's scan is done at once.
    """
    try:
        if "numpy" in sys.modules:
            view = view_short(tensor, SHORT)
            if view is not None:
                done = short_scan(view)
                if done is not None:
                    return done
        return open_scan(tensor)
    except Exception:  # noqa: BLE001  what torch lacks or refuses `tensor_facts` meets too, and says
        return None


def open_scan(tensor: Any) -> Scan | DeviceScan | None:
    """As `scan_tensor`, with nothing read yet; may raise where torch lacks a call."""
    found = readable(tensor)
    if found.on_device is not None:
        return scan_on_device(found.on_device)
    inner = found.tensor
    return None if inner is None else scan_memory(inner, lambda: locate(inner))


def scan_memory(tensor: Any, find: Callable[[], Memory | str]) -> Scan | None:
    """The scan of a part of an ordinary tensor; `find` says where it lies, and is asked again before each
    slice of the work, since the memory may be freed or moved in between.
    """
    memory = find()
    if isinstance(memory, str) or memory.element.kernel is None:
        return None
    element = memory.element
    shape, strides, size = memory.shape, memory.strides, memory.size
    if element.parts > 1:
        shape = (*shape, element.parts)
        strides = (*(stride * element.parts for stride in strides), 1)
        size *= element.parts
    numbers = Numbers(shape, strides, size, memory.dense, element, memory.negated, memory.conjugated)
    if "numpy" in sys.modules:
        return Scan(numbers, _numpy_reader(memory, find))
    if element.quantized:
        return None
    # torch undoes its own lazy negation.
    numbers = numbers._replace(negated=False)
    return Scan(numbers, _torch_reader(tensor, memory, find))


def _numpy_reader(memory: Memory, find: Callable[[], Memory | str]) -> NumpyReader:
    np = sys.modules["numpy"]
    kernel = _kernel(memory.element.kernel or "")
    item_bytes = memory.item_bytes // memory.element.parts

    def open_memory(walk: Walk) -> Any:
        if find() != memory:
            return None
        byte_strides = tuple([stride * item_bytes for stride in walk.strides])
        return np.ndarray(walk.shape, kernel.code, memory.view(), 0, byte_strides)

    return NumpyReader(kernel, open_memory, memory.conjugated)


def _torch_reader(tensor: Any, memory: Memory, find: Callable[[], Memory | str]) -> TorchReader:
    torch = sys.modules["torch"]

    def open_memory(walk: Walk) -> Any:
        if find() != memory:
            return None
        part = tensor.as_strided(memory.shape, memory.strides, memory.offset)
        if memory.element.parts > 1:
            part = torch.view_as_real(part.conj() if memory.conjugated else part)
        return part.as_strided(walk.shape, walk.strides)

    return TorchReader(memory.element.kernel or "", open_memory, memory.conjugated)


def _kernel(name: str) -> Kernel:
    kernel = KERNELS.get(name)
    if kernel is None:
        kernel = _float8_kernels.get(name)
        if kernel is None:
            kernel = _float8_kernels[name] = byte_table_kernel(float8_values(name))
    return kernel
