"""`shapes.json` of a run folder: the shapes of one traced forward pass, written once and whole."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, cast

from tensorpeek.contract.messages import CONTRACT_VERSION, ShapeTrace
from tensorpeek.runs.folder import NAME as RUN_NAME

NAME = "shapes.json"
LARGEST = 50_000_000
"""Bytes that are read."""
MOST_RUNS = 200
"""Run folders that are looked into, the newest first."""
TEXTS = ("time", "source", "entry", "torch", "problem")
LISTS = ("symbols", "files", "modules", "remarks")
OF_FILE = {
    "path": str,
    "sha256": str,
    "text": str,
    "expressions": list,
    "names": list,
    "functions": list,
    "blocks": list,
}
OF_MODULE = {
    "path": str,
    "type": str,
    "file": str,
    "line": int,
    "callPath": str,
    "callLine": int,
    "outputs": list,
    "order": list,
    "parameters": int,
    "trainable": int,
    "ownParameters": int,
    "ownTrainable": int,
    "parameterBytes": int,
    "flops": int,
    "bytes": int,
    "calls": int,
    "sameAs": str,
    "tiedTo": str,
}


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
    except (OSError, ValueError, RecursionError):
        return None
    return cast(ShapeTrace, parsed) if _is_trace(parsed) else None


def newest(runs: Path) -> list[ShapeTrace]:
    """The traces below the folder of all runs, the newest run first; what can't be read is left out."""
    try:
        names = sorted((entry.name for entry in os.scandir(runs) if RUN_NAME.match(entry.name)), reverse=True)
    except OSError:
        return []
    traces = (read(runs / name) for name in names[:MOST_RUNS])
    return [trace for trace in traces if trace is not None]


def _is_trace(content: object) -> bool:
    if not isinstance(content, dict):
        return False
    values = cast("dict[str, Any]", content)
    return (
        values.get("contractVersion") == CONTRACT_VERSION
        and all(isinstance(values.get(name), str) for name in TEXTS)
        and all(_is_list_of_objects(values.get(name)) for name in LISTS)
        and isinstance(values.get("truncated"), bool)
        and all(_is_file(file) for file in values["files"])
        and all(_has(module, OF_MODULE) for module in values["modules"])
    )


def _is_list_of_objects(content: object) -> bool:
    return isinstance(content, list) and all(
        isinstance(entry, dict) for entry in cast("list[object]", content)
    )


def _is_file(content: dict[str, Any]) -> bool:
    return _has(content, OF_FILE) and all(
        _is_list_of_objects(content[name]) for name in ("expressions", "names", "functions")
    )


def _has(content: dict[str, Any], kinds: dict[str, type]) -> bool:
    return all(isinstance(content.get(name), kind) for name, kind in kinds.items())
