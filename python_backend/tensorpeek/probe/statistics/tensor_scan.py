"""Scans of torch tensors."""

from __future__ import annotations

import sys
from typing import Any, Callable

from tensorpeek.probe.statistics.numpy_kernels import KERNELS, Kernel, byte_table_kernel
from tensorpeek.probe.statistics.scan import Numbers, Scan
from tensorpeek.probe.tensors.address_view import Memory, locate
from tensorpeek.probe.tensors.dtypes import float8_values
from tensorpeek.probe.tensors.unwrap import readable

_float8_kernels: dict[str, Kernel] = {}


def scan_tensor(tensor: Any) -> Scan | None:
    """The scan of a tensor's elements, None where there is nothing to read; `tensor_facts` then says why.

    Wrapped tensors are scanned through what they wrap, sparse and nested ones through their values, quantized ones
    through their stored integers.
    """
    inner = readable(tensor).tensor
    if inner is None:
        return None
    memory = locate(inner)
    return None if isinstance(memory, str) else scan_memory(memory, lambda: locate(inner))


def scan_memory(memory: Memory, locate_again: Callable[[], Memory | str]) -> Scan | None:
    """The scan of a memory, given what finds it again: it may be freed or moved between two slices of the work."""
    np = sys.modules.get("numpy")
    kernel = _kernel(memory.element.kernel)
    if kernel is None or np is None:
        return None
    element = memory.element
    shape, strides, size = memory.shape, memory.strides, memory.size
    parts = element.parts
    if parts > 1:
        shape = (*shape, parts)
        strides = (*(stride * parts for stride in strides), 1)
        size *= parts
    item_bytes = memory.item_bytes // parts
    numbers = Numbers(
        shape,
        strides,
        size,
        memory.dense,
        item_bytes,
        element.huge,
        element.maximum,
        element.smallest_normal,
        memory.negated,
        memory.conjugated,
    )

    def open_memory(shape: tuple[int, ...], strides: tuple[int, ...]) -> Any:
        if locate_again() != memory:
            return None
        return np.ndarray(
            shape, kernel.code, memory.view(), 0, tuple(stride * item_bytes for stride in strides)
        )

    return Scan(numbers, kernel, open_memory)


def _kernel(name: str | None) -> Kernel | None:
    if name is None:
        return None
    kernel = KERNELS.get(name)
    if kernel is None:
        kernel = _float8_kernels.get(name)
        if kernel is None:
            kernel = _float8_kernels[name] = byte_table_kernel(float8_values(name))
    return kernel
