"""Single elements and rows of a tensor, read from memory without an operation."""

from __future__ import annotations

import struct
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
