"""`run.json` of a run folder: what was started, when, with which versions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

from tensorpeek.contract.messages import CONTRACT_VERSION, RunInfo

NAME = "run.json"

LARGEST = 1_000_000
"""Bytes; a file that is larger is not ours."""


def write(folder: Path, info: RunInfo) -> None:
    """Raises OSError."""
    text = json.dumps(info, ensure_ascii=False, indent=1)
    (folder / NAME).write_text(text + "\n", encoding="utf-8")


def read(folder: Path) -> RunInfo | None:
    """None where the file is absent, damaged, or of a version that is not known here."""
    path = folder / NAME
    try:
        if path.stat().st_size > LARGEST:
            return None
        content: object = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    if (
        not isinstance(content, dict)
        or cast("dict[str, object]", content).get("contractVersion") != CONTRACT_VERSION
    ):
        return None
    return cast(RunInfo, content)
