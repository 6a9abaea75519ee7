"""Where the elements of a tensor lie, found without dispatching an operation.

`Tensor.numpy()` would leave the storage unresizable for ever, `data_ptr()` would copy a copy-on-write
tensor, and any operation would show up in the user's modes, hooks, graph and profile.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any, NamedTuple, Optional

from tensorpeek.probe.tensors.dtypes import ElementType, element_type, known_types
from tensorpeek.probe.tensors.unwrap import plain_keys

_READ_ONLY = 0x100
_memory_view = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int)(
    ("PyMemoryView_FromMemory", ctypes.pythonapi)
)

NO_STORAGE = "no storage"
STORAGE_TOO_SMALL = "storage too small"
"""Why there is nothing to read. torch does not check, and a program that prints such a tensor crashes."""


class Memory(NamedTuple):
    """The elements of a strided CPU tensor. Sizes, strides and offset count elements, not bytes."""

    storage: int
    """The address of the storage's first byte."""
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    size: int
    """Elements in all."""
    item_bytes: int
    span: int
    """Elements from the first to the last in memory, both included."""
    dense: bool
    """Whether the elements lie one after another in the order of their indices."""
    element: ElementType
    negated: bool = False
    conjugated: bool = False

    def view(self) -> memoryview:
        """A read-only view of the bytes from the first to the last element. It keeps nothing alive."""
        return _memory_view(
            self.storage + self.offset * self.item_bytes, self.span * self.item_bytes, _READ_ONLY
        )


def locate(tensor: Any) -> Memory | str:
    """Where a strided CPU tensor of torch's own kinds lies, or in a few words why there is nothing to read.

    The caller has unwrapped the tensor (`unwrap.readable`).
    """
    core = sys.modules["torch"]._C
    with core.DisableTorchFunction():
        shape = tuple(tensor.shape)
        element = element_type(tensor.dtype)
        storage = tensor.untyped_storage()
        available = storage.nbytes()
        address = storage_address(tensor, storage)
        offset = tensor.storage_offset()
        item_bytes = tensor.element_size()
        dense = tensor.is_contiguous()
        strides = tensor.stride()
        size = tensor.numel()
        negated = tensor.is_neg()
        conjugated = tensor.is_conj()
    if not size:
        return Memory(0, 0, shape, strides, 0, item_bytes, 0, True, element)
    if dense:
        span = size
    else:
        span = 1
        for length, stride in zip(shape, strides):
            span += (length - 1) * stride
    if not available or not address:
        return NO_STORAGE
    if (offset + span) * item_bytes > available:
        return STORAGE_TOO_SMALL
    return Memory(
        address, offset, shape, strides, size, item_bytes, span, dense, element, negated, conjugated
    )


def storage_address(tensor: Any, storage: Any) -> int:
    """The address of a storage's first byte; copy-on-write storages stay shared where torch can do that."""
    try:
        return sys.modules["torch"]._C._data_address(tensor)
    except AttributeError:
        return storage.data_ptr()


ShortView = tuple[memoryview, ElementType, tuple[int, ...], Optional[tuple[int, ...]]]
"""The bytes of a tensor of few elements, what they are, its shape, and its strides in bytes; no strides
where the elements lie one after another. A plain tuple, since naming its parts costs as much as filling it
three times.
"""


def view_short(tensor: Any, most: int) -> ShortView | None:
    """The bytes of an ordinary tensor of 1 to `most` elements; None for any other.

    The same as `locate` with the fewest calls, written out, since a frame may hold hundreds of such tensors.
    """
    core = sys.modules["torch"]._C
    if core._dispatch_keys(tensor).raw_repr() not in plain_keys:
        return None
    with core.DisableTorchFunction():
        size = tensor.numel()
        if not 0 < size <= most:
            return None
        shape = tensor.shape
        element = known_types.get(tensor.dtype)
        storage = tensor.untyped_storage()
        start = tensor.storage_offset()
        item_bytes = tensor.element_size()
        strides = None if tensor.is_contiguous() else tensor.stride()
    if element is None:
        return None
    if strides is not None:
        size = 1 + sum([(length - 1) * stride for length, stride in zip(shape, strides)])
        strides = tuple([stride * item_bytes for stride in strides])
    try:
        address = core._data_address(tensor)
    except AttributeError:
        address = storage_address(tensor, storage)
    start *= item_bytes
    size *= item_bytes
    if not address or start + size > storage.nbytes():
        return None
    return _memory_view(address + start, size, _READ_ONLY), element, shape, strides
