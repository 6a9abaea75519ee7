"""What is known of each torch dtype: its short name, how its elements are read, and where its range ends."""

from __future__ import annotations

import math
import sys
from typing import Any, NamedTuple


class ElementType(NamedTuple):
    """One dtype."""

    name: str
    """Short, as in `f32`."""
    kernel: str | None
    """The short name of the dtype whose kernel reads the elements, None where nothing can."""
    parts: int = 1
    """Numbers per element: 2 for complex."""
    maximum: float = math.inf
    smallest_normal: float = 0.0
    huge: float = math.inf
    """From this magnitude on the next arithmetic overflows: half the range of f16, else the square does."""
    quantized: bool = False

    def is_huge(self, minimum: float, maximum: float) -> bool:
        """Whether a range reaches where arithmetic overflows; the limits themselves are what masks are
        filled with."""
        return self.huge <= -minimum < self.maximum or self.huge <= maximum < self.maximum


def _float(name: str, maximum: float, smallest_normal: float, huge: float) -> ElementType:
    return ElementType(name, name, 1, maximum, smallest_normal, huge)


_F16 = _float("f16", 65504.0, 2.0**-14, 2.0**15)
_F32 = _float("f32", (2 - 2.0**-23) * 2.0**127, 2.0**-126, 2.0**64)
_F64 = _float("f64", sys.float_info.max, sys.float_info.min, 2.0**512)
_BF16 = _float("bf16", (2 - 2.0**-7) * 2.0**127, 2.0**-126, 2.0**64)

LIMITS: dict[str, ElementType] = {"f16": _F16, "f32": _F32, "f64": _F64, "bf16": _BF16}
"""The float types whose ends of the range are worth a warning."""

_BY_TORCH_NAME: dict[str, ElementType] = {
    "float16": _F16,
    "float32": _F32,
    "float64": _F64,
    "bfloat16": _BF16,
    "complex32": _F16._replace(name="c32", parts=2),
    "complex64": _F32._replace(name="c64", parts=2),
    "complex128": _F64._replace(name="c128", parts=2),
    "bool": ElementType("bool", "bool"),
    "qint8": ElementType("qi8", "i8", quantized=True),
    "quint8": ElementType("qu8", "u8", quantized=True),
    "qint32": ElementType("qi32", "i32", quantized=True),
    "quint4x2": ElementType("qu4x2", None, quantized=True),
    "quint2x4": ElementType("qu2x4", None, quantized=True),
}
for _bits in (8, 16, 32, 64):
    _BY_TORCH_NAME[f"int{_bits}"] = ElementType(f"i{_bits}", f"i{_bits}")
    _BY_TORCH_NAME[f"uint{_bits}"] = ElementType(f"u{_bits}", f"u{_bits}")
for _name in ("float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu"):
    _BY_TORCH_NAME[_name] = ElementType("f8" + _name[len("float8_") :], "f8" + _name[len("float8_") :])

known_types: dict[Any, ElementType] = {}
"""By `torch.dtype`, those that were asked for."""


def element_type(dtype: Any) -> ElementType:
    """What is known of a `torch.dtype`; a dtype newer than this table has a name and no kernel."""
    found = known_types.get(dtype)
    if found is None:
        name = str(dtype).rpartition(".")[2]
        found = known_types[dtype] = _BY_TORCH_NAME.get(name) or ElementType(name, None)
    return found


def float8_values(name: str) -> tuple[float, ...]:
    """The 256 values of an 8-bit float, by its bits; `name` is the short one, as in `f8e4m3fn`."""
    if name == "f8e8m0fnu":
        return (*(2.0 ** (bits - 127) for bits in range(255)), math.nan)
    exponent_bits, mantissa_bits = int(name[3]), int(name[5])
    unsigned_zero = name.endswith("uz")
    bias = 2 ** (exponent_bits - 1) - (0 if unsigned_zero else 1)
    values = []
    for bits in range(256):
        exponent = bits >> mantissa_bits & (1 << exponent_bits) - 1
        mantissa = bits & (1 << mantissa_bits) - 1
        if exponent:
            value = math.ldexp(1 + mantissa / (1 << mantissa_bits), exponent - bias)
        else:
            value = math.ldexp(mantissa / (1 << mantissa_bits), 1 - bias)
        if unsigned_zero:
            if bits == 0x80:
                value = math.nan
        elif name == "f8e5m2" and exponent == 31:
            value = math.nan if mantissa else math.inf
        elif name == "f8e4m3fn" and bits & 0x7F == 0x7F:
            value = math.nan
        values.append(-value if bits & 0x80 else value)
    return tuple(values)
