"""Times, shares and rates as text."""

from __future__ import annotations

from tensorpeek.contract.quantities import scaled


def percent(share: float) -> str:
    """`3.1 %` of 0.031, `42 %` of 0.42."""
    return f"{100 * share:.1f} %" if share < 0.0995 else f"{100 * share:.0f} %"


def duration(seconds: float) -> str:
    """`1.23 s`, `45.6 ms`, `7.89 µs`: three significant digits."""
    for factor, unit in ((1, "s"), (1e3, "ms"), (1e6, "µs")):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return "0" if seconds <= 0 else f"{seconds * 1e9:.0f} ns"


def rate(flops_per_second: float) -> str:
    """`850 MFLOP/s`, `1.23 TFLOP/s`."""
    return scaled(
        flops_per_second, ("FLOP/s", "kFLOP/s", "MFLOP/s", "GFLOP/s", "TFLOP/s", "PFLOP/s"), gap=" "
    )
