"""Scans of numpy arrays."""

from __future__ import annotations

import sys
from typing import Any

from tensorpeek.probe.statistics.numpy_kernels import KERNELS
from tensorpeek.probe.statistics.scan import Numbers, Scan
from tensorpeek.probe.tensors.dtypes import LIMITS


def scan_array(array: Any) -> Scan | None:
    """The scan of an `ndarray` of bool, int, float or complex elements, None for any other dtype."""
    np = sys.modules["numpy"]
    array = np.ndarray.view(array, np.ndarray)
    kind, item_bytes = array.dtype.kind, array.dtype.itemsize
    conventional = array.dtype
    if kind == "c" and item_bytes <= 16:
        conventional = np.dtype(f"{array.dtype.byteorder}f{item_bytes // 2}")
        try:
            array = array[..., None].view(conventional)
        except ValueError:
            return None
        kind, item_bytes = "f", item_bytes // 2
    name = "bool" if kind == "b" else f"{kind}{item_bytes * 8}"
    kernel = KERNELS.get(name)
    if kernel is None:
        return None
    limits = LIMITS.get(name)
    if any(stride % item_bytes for stride in array.strides):
        return None
    numbers = Numbers(
        array.shape,
        tuple(stride // item_bytes for stride in array.strides),
        array.size,
        array.flags.c_contiguous,
        item_bytes,
        native=conventional.isnative,
    )
    if limits is not None:
        numbers = numbers._replace(
            huge=limits.huge, maximum=limits.maximum, smallest_normal=limits.smallest_normal
        )

    def open_memory(shape: tuple[int, ...], strides: tuple[int, ...]) -> Any:
        return np.lib.stride_tricks.as_strided(
            array, shape, tuple(stride * item_bytes for stride in strides), writeable=False
        )

    return Scan(numbers, kernel, open_memory)
