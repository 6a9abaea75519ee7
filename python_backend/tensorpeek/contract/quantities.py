"""Counts and sizes in a few characters."""

from __future__ import annotations


def count_text(count: int) -> str:
    """`850`, `12.3k`, `1.23M`: three significant digits."""
    return scaled(count, ("", "k", "M", "G", "T"), gap="")


def bytes_text(count: float) -> str:
    """`850 B`, `12.3 KB`, `403 MB`: powers of 1000, three significant digits."""
    return scaled(count, ("B", "KB", "MB", "GB", "TB"), gap=" ")


def scaled(count: float, units: tuple[str, ...], gap: str) -> str:
    """In powers of 1000, each with its unit, and three significant digits."""
    value = float(count)
    unit = units[0]
    for unit in units:
        if abs(value) < 999.5 or unit == units[-1]:
            break
        value /= 1000
    return f"{value:.3g}{gap}{unit}".rstrip()
