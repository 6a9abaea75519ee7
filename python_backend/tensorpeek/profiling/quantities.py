"""Times, shares, sizes and counts as text."""

from __future__ import annotations


def percent(share: float) -> str:
    return f"{100 * share:.1f} %" if share < 0.0995 else f"{100 * share:.0f} %"


def duration(seconds: float) -> str:
    for factor, unit in ((1, "s"), (1e3, "ms"), (1e6, "µs")):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return "0" if seconds <= 0 else f"{seconds * 1e9:.0f} ns"


def size(count: float) -> str:
    for limit, unit in ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if abs(count) >= limit:
            return f"{count / limit:.3g} {unit}"
    return f"{count:.0f} B"


def rate(flops_per_second: float) -> str:
    for limit, unit in ((1e12, "TFLOP/s"), (1e9, "GFLOP/s"), (1e6, "MFLOP/s")):
        if flops_per_second >= limit:
            return f"{flops_per_second / limit:.3g} {unit}"
    return f"{flops_per_second:.0f} FLOP/s"
