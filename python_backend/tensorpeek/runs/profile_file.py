"""`profile.json` of a run folder: written whole, again and again while the program runs."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import NoReturn, cast

from tensorpeek.contract.check import is_valid
from tensorpeek.contract.messages import CONTRACT_VERSION, Profile
from tensorpeek.runs.folder import newest_first

NAME = "profile.json"
LARGEST = 8_000_000
"""Bytes that are read; four times what is ever written."""
LONGEST_COLUMN = 100_000


def write(folder: Path, profile: Profile) -> Path:
    """Whoever reads meanwhile finds the file of before or the whole new one. Raises OSError."""
    path = folder / NAME
    beside = folder / f"{NAME}.{os.getpid()}"
    text = json.dumps(profile, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        beside.write_text(text + "\n", encoding="utf-8", errors="backslashreplace")
        beside.replace(path)
    except OSError:
        # A disk that is full keeps what was written before, and nothing half.
        beside.unlink(missing_ok=True)
        raise
    return path


def read(folder: Path) -> Profile | None:
    """None where the file is absent, damaged, too large, or of a version that is not known here."""
    try:
        with (folder / NAME).open("rb") as file:
            content = file.read(LARGEST + 1)
        if len(content) > LARGEST:
            return None
        parsed: object = json.loads(content, parse_constant=_refuse)
    except (OSError, ValueError, RecursionError):
        return None
    if not is_valid(Profile, parsed):
        return None
    profile = cast(Profile, parsed)
    return profile if profile["contractVersion"] == CONTRACT_VERSION and _is_consistent(profile) else None


def newest(runs: Path) -> Path | None:
    """The newest run folder that has a profile."""
    return next((folder for folder in newest_first(runs) if (folder / NAME).is_file()), None)


def _is_consistent(profile: Profile) -> bool:
    """Columns of one table are of one length, and what points into a table points at something."""
    steps, stacks, memory = profile["stepTable"], profile["stacks"], profile["memory"]
    rows, nodes, points = len(steps["start"]), len(stacks["parents"]), len(memory["time"])
    return (
        max(rows, nodes, points) <= LONGEST_COLUMN
        and steps["perRow"] > 0
        and all(
            len(column) == rows
            for column in (
                steps["seconds"],
                steps["data"],
                steps["transfer"],
                steps["forward"],
                steps["backward"],
                steps["optimizer"],
            )
        )
        and len(stacks["frame"]) == len(stacks["seconds"]) == nodes
        and all(-1 <= parent < node for node, parent in enumerate(stacks["parents"]))
        and all(0 <= frame < len(stacks["frames"]) for frame in stacks["frame"])
        and len(memory["step"]) == len(memory["resident"]) == points
        and len(memory["device"]) in (0, points)
        and len(profile["window"]) in (0, 2)
    )


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number of JSON")
