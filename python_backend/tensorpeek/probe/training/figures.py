"""Numbers as findings write them."""

from __future__ import annotations

import math
from collections.abc import Iterable

SHOWN = 3
"""Names of a list that are written out."""


def figure(value: float | None) -> str:
    """At most four digits: `0.0123`, `1.2e-07`, `30,000`, `NaN`, `+Inf`."""
    if value is None:
        return "unknown"
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "−Inf"
    if value == int(value) and abs(value) < 1e6:
        return f"{int(value):,}"
    return f"{value:.3g}" if abs(value) < 1000 or abs(value) >= 1e6 else f"{value:,.0f}"


def share(part: float) -> str:
    """`97 %`, and `100 %` only for all."""
    percent = 100 * part
    return f"{min(percent, 99.9):.3g} %" if percent < 100 else "100 %"


def count(number: int, one: str, many: str = "") -> str:
    """`1 step`, `3 steps`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def listed(names: Iterable[str], most: int = SHOWN) -> str:
    """`` `a`, `b`, `c` and 5 more ``."""
    names = [f"`{name}`" for name in names]
    if len(names) <= most:
        return ", ".join(names[:-1]) + (" and " if len(names) > 1 else "") + "".join(names[-1:])
    return ", ".join(names[:most]) + f" and {len(names) - most} more"
