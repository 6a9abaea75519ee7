"""A few numbers as a line of text: `▁▁▂▁▁█ 0.21 … 7.9`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Union

BARS = "▁▂▃▄▅▆▇█"
NOT_FINITE = "×"
LONGEST = 40

Value = Union[float, str]
"""As the contract has numbers: those that are not finite are strings."""


def sparkline(values: Sequence[Value]) -> str:
    """The last values as bars between their least and greatest, and these; empty for fewer than two."""
    shown = list(values)[-LONGEST:]
    if len(shown) < 2:
        return ""
    finite = [float(value) for value in shown if _is_finite(value)]
    if not finite:
        return NOT_FINITE * len(shown)
    low, high = min(finite), max(finite)
    line = "".join(_bar(float(value), low, high) if _is_finite(value) else NOT_FINITE for value in shown)
    return f"{line}  {low:.4g} to {high:.4g}"


def _is_finite(value: Value) -> bool:
    return not isinstance(value, str) and math.isfinite(value)


def _bar(value: float, low: float, high: float) -> str:
    # Halves, because the difference of two finite numbers may not be finite.
    span = high / 2 - low / 2
    return BARS[0] if not span else BARS[min(7, int((value / 2 - low / 2) / span * 8))]
