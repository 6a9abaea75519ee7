"""Finds the debugpy to debug with, without importing it."""

from __future__ import annotations

import importlib.util
import os
import re
from collections.abc import Iterator
from pathlib import Path

BUNDLED_LIBS_VARIABLE = "TENSORPEEK_BUNDLED_LIBS"

OLDEST_DEBUGPY = (1, 8)

_BACKEND = Path(__file__).resolve().parents[2]


def find_debugpy(wanted: str | None = None) -> Path | None:
    """The package folder of debugpy, or None when there is none that is new enough.

    `wanted` is the launch attribute `debugpyPath`: the folder that contains the package (or the package
    itself); where it is given, nothing else is looked at.
    """
    candidates = _in_folder(Path(wanted)) if wanted else _known_places()
    for folder in candidates:
        if (folder / "adapter" / "__main__.py").is_file() and version_of(folder) >= OLDEST_DEBUGPY:
            return folder
    return None


def version_of(folder: Path) -> tuple[int, ...]:
    """The major and minor version that the package says it is; (0,) when it does not say."""
    try:
        text = (folder / "_version.py").read_text(encoding="utf-8")
    except OSError:
        return (0,)
    found = re.search(r'"version":\s*"(\d+)\.(\d+)', text)
    return (int(found.group(1)), int(found.group(2))) if found else (0,)


def _in_folder(folder: Path) -> Iterator[Path]:
    yield folder / "debugpy"
    yield folder


def _known_places() -> Iterator[Path]:
    installed = importlib.util.find_spec("debugpy")
    for folder in (installed.submodule_search_locations or []) if installed else []:
        yield Path(folder)
    bundled = os.environ.get(BUNDLED_LIBS_VARIABLE)
    yield (Path(bundled) if bundled else _BACKEND.parent / "bundled" / "libs") / "debugpy"
