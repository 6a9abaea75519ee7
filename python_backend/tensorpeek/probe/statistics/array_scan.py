"""Scans of numpy arrays."""

from __future__ import annotations

import sys
from typing import Any

from tensorpeek.probe.statistics.numpy_kernels import KERNELS
from tensorpeek.probe.statistics.numpy_reader import NumpyReader
from tensorpeek.probe.statistics.plan import Walk
from tensorpeek.probe.statistics.reader import Numbers
from tensorpeek.probe.statistics.scan import Scan
from tensorpeek.probe.tensors.dtypes import LIMITS, ElementType


def scan_array(array: Any) -> Scan | None:
    """The scan of an `ndarray` of bool, int, float or complex elements, None for any other dtype."""
    np = sys.modules["numpy"]
    array = np.ndarray.view(array, np.ndarray)
    if array.dtype.kind == "c":
        array = _as_pairs(array, np)
    item_bytes = array.dtype.itemsize
    name = "bool" if array.dtype.kind == "b" else f"{array.dtype.kind}{item_bytes * 8}"
    kernel = KERNELS.get(name)
    if kernel is None or any(stride % item_bytes for stride in array.strides):
        return None
    numbers = Numbers(
        array.shape,
        tuple(stride // item_bytes for stride in array.strides),
        array.size,
        array.flags.c_contiguous,
        LIMITS.get(name) or ElementType(name, name),
    )

    def open_memory(walk: Walk) -> Any:
        strides = tuple(stride * item_bytes for stride in walk.strides)
        return np.lib.stride_tricks.as_strided(array, walk.shape, strides, writeable=False)

    return Scan(numbers, NumpyReader(kernel, open_memory))


def _as_pairs(array: Any, np: Any) -> Any:
    """A complex array as a real one with a last dimension of two."""
    half = array.dtype.itemsize // 2
    real = np.dtype(f"f{half}").newbyteorder(array.dtype.byteorder)
    return np.lib.stride_tricks.as_strided(
        array.real if array.size else np.empty(0, real), (*array.shape, 2), (*array.strides, half)
    )
