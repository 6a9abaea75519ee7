"""`shapes.json` of a run folder: the shapes of one traced forward pass, written once and whole."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import cast

from tensorpeek.contract.check import is_valid
from tensorpeek.contract.messages import CONTRACT_VERSION, ShapeTrace
from tensorpeek.runs.folder import newest_first

NAME = "shapes.json"
LARGEST = 50_000_000
"""Bytes that are read."""
MOST_RUNS = 200
"""Run folders that are looked into, the newest first."""


def write(folder: Path, trace: ShapeTrace) -> Path:
    """Whoever reads meanwhile finds the file of before or the whole new one. Raises OSError."""
    path = folder / NAME
    beside = folder / f"{NAME}.{os.getpid()}"
    text = json.dumps(trace, ensure_ascii=False, allow_nan=False)
    beside.write_text(text + "\n", encoding="utf-8", errors="backslashreplace")
    beside.replace(path)
    return path


def read(folder: Path) -> ShapeTrace | None:
    """None where the file is absent, damaged, too large, or of a version that is not known here."""
    try:
        with (folder / NAME).open("rb") as file:
            content = file.read(LARGEST + 1)
        if len(content) > LARGEST:
            return None
        parsed: object = json.loads(content)
        return cast(ShapeTrace, parsed) if _is_trace(parsed) else None
    except (OSError, ValueError, RecursionError):
        return None


def newest(runs: Path) -> list[ShapeTrace]:
    """The traces below the folder of all runs, the newest run first; what can't be read is left out."""
    traces = (read(folder) for folder in newest_first(runs)[:MOST_RUNS])
    return [trace for trace in traces if trace is not None]


def _is_trace(content: object) -> bool:
    if not isinstance(content, dict):
        return False
    values = cast("dict[str, object]", content)
    return values.get("contractVersion") == CONTRACT_VERSION and is_valid(ShapeTrace, values)
