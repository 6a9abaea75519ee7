"""`findings.jsonl` of a run folder: one finding a line, written as it comes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

from tensorpeek.contract.messages import Finding

NAME = "findings.jsonl"
LARGEST = 20_000_000
"""Bytes that are read; a run that finds more has said the rest before."""
MOST = 10_000
TEXTS = ("condition", "title", "message", "path", "lineText", "module", "time")
NUMBERS = ("number", "line", "step", "epoch", "rank")
LISTS = ("history", "evidence", "next", "related")


def append(folder: Path, finding: Finding) -> None:
    """Hands a line to the system at once: the program may end in the next moment. Raises OSError."""
    line = json.dumps(finding, ensure_ascii=False, allow_nan=False)
    with (folder / NAME).open("a", encoding="utf-8", errors="backslashreplace") as file:
        file.write(line + "\n")


def read(folder: Path) -> list[Finding]:
    """Every whole finding, in the order they came. A line that is cut short or not a finding is left out."""
    try:
        with (folder / NAME).open("rb") as file:
            content = file.read(LARGEST)
    except OSError:
        return []
    findings: list[Finding] = []
    for line in content.split(b"\n")[:MOST]:
        finding = _parse(line)
        if finding is not None:
            findings.append(finding)
    return findings


def _parse(line: bytes) -> Finding | None:
    try:
        content: object = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(content, dict):
        return None
    values = cast("dict[str, Any]", content)
    right = (
        all(isinstance(values.get(name), str) for name in TEXTS)
        and all(type(values.get(name)) is int for name in NUMBERS)
        and all(isinstance(values.get(name), list) for name in LISTS)
        and isinstance(values.get("stopped"), bool)
    )
    return cast(Finding, values) if right else None
