"""How a line of the user's is written for a person."""

from __future__ import annotations

import os


def short(path: str) -> str:
    """Relative to the working directory where it lies in it."""
    try:
        relative = os.path.relpath(path)
    except (OSError, ValueError):
        return path
    return path if relative.startswith("..") else relative


def where(path: str, line: int) -> str:
    return f"{short(path)}:{line}"
