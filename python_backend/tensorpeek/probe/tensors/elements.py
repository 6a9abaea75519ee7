"""Single elements and rows of a tensor, read from memory without an operation."""

from __future__ import annotations

import math
import struct
from contextlib import suppress
from typing import Any, Union

from tensorpeek.probe.tensors.address_view import Memory
from tensorpeek.probe.tensors.dtypes import float8_values

Element = Union[bool, int, float, complex]

_FORMATS: dict[str, str] = {
    "f16": "e",
    "f32": "f",
    "f64": "d",
    "bool": "?",
    "i8": "b",
    "u8": "B",
    "i16": "h",
    "u16": "H",
    "i32": "i",
    "u32": "I",
    "i64": "q",
    "u64": "Q",
}


WHOLE = 1 << 24
"""Up to here whole numbers are written in full, though f16 would need fewer digits."""


def row(memory: Memory, index: int) -> Memory:
    """What `tensor[index]` of a tensor with this memory covers."""
    stride = memory.strides[0]
    rows = memory.shape[0]
    return memory._replace(
        offset=memory.offset + index * stride,
        shape=memory.shape[1:],
        strides=memory.strides[1:],
        size=memory.size // rows if rows else 0,
        span=memory.span - (rows - 1) * stride if memory.size else 0,
    )


def elements(memory: Memory, start: int, stop: int) -> list[Element | None]:
    """The elements from `start` to `stop` of a one-dimensional memory, None where the dtype is not a plain
    number."""
    stride = memory.strides[0] * memory.item_bytes
    view = memory.view()
    return [
        _element(memory, view, position * stride) for position in range(start, min(stop, memory.shape[0]))
    ]


def scalar(memory: Memory) -> Element | None:
    """The one element of a zero-dimensional memory."""
    return _element(memory, memory.view(), 0)


def shortest(element: Element, kernel: str | None) -> Element:
    """The number of the fewest digits that is this element in its own dtype: 0.1, not 0.10000000149011612."""
    if isinstance(element, complex):
        return complex(_shortest(element.real, kernel), _shortest(element.imag, kernel))
    return _shortest(element, kernel) if isinstance(element, float) else element


def _shortest(value: float, kernel: str | None) -> float:
    if value.is_integer() and abs(value) <= WHOLE:
        return value
    if kernel in ("f16", "bf16", "f32") and math.isfinite(value):
        for digits in range(1, 10):
            candidate = float(f"{value:.{digits}g}")
            with suppress(OverflowError):  # rounded up to beyond the dtype's range
                if _rounded(candidate, kernel) == value:
                    return candidate
    return value


def _rounded(value: float, kernel: str) -> float:
    """The number of that dtype that is nearest."""
    if kernel != "bf16":
        code = _FORMATS[kernel]
        rounded: float = struct.unpack(code, struct.pack(code, value))[0]
        return rounded
    (bits,) = struct.unpack("<I", struct.pack("<f", value))
    bits = bits + 0x7FFF + (bits >> 16 & 1) & 0xFFFF0000
    widened: float = struct.unpack("<f", struct.pack("<I", bits))[0]
    return widened


def _element(memory: Memory, view: Any, place: int) -> Element | None:
    kernel = memory.element.kernel
    if kernel is None:
        return None
    part_bytes = memory.item_bytes // memory.element.parts
    values = [
        _part(kernel, view[place + part * part_bytes : place + (part + 1) * part_bytes])
        for part in range(memory.element.parts)
    ]
    if len(values) == 2:
        imaginary = -values[1] if memory.conjugated else values[1]
        number = complex(values[0], imaginary)
        return -number if memory.negated else number
    return -values[0] if memory.negated else values[0]


def _part(kernel: str, item: Any) -> bool | int | float:
    code = _FORMATS.get(kernel)
    if code is not None:
        value: bool | int | float = struct.unpack(code, item)[0]
        return value
    if kernel == "bf16":
        widened: float = struct.unpack("<f", b"\0\0" + bytes(item))[0]
        return widened
    return float8_values(kernel)[item[0]]
