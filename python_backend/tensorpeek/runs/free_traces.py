"""Traces of the first step, which every run makes: only what says something new is written, and few stay."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from tensorpeek.contract.messages import ShapeTrace
from tensorpeek.runs import run_file, shapes_file
from tensorpeek.runs.folder import newest_first

MOST = 10
"""Run folders that hold such a trace and nothing else."""
HEAD = 200
"""Bytes in which a trace says where it is from."""
MARK = b'"source": "step"'


def is_known(runs: Path, trace: ShapeTrace) -> bool:
    """Whether the newest trace below the folder of all runs says the same."""
    newest = next(
        (folder for folder in newest_first(runs) if (folder / shapes_file.NAME).exists()),
        None,
    )
    known = shapes_file.read(newest) if newest is not None else None
    return known is not None and {**known, "time": ""} == {**trace, "time": ""}


def prune(runs: Path) -> None:
    """Removes the older run folders with nothing but a free trace."""
    for folder in [folder for folder in newest_first(runs) if _is_free(folder)][MOST:]:
        with suppress(OSError):
            for name in (shapes_file.NAME, run_file.NAME):
                (folder / name).unlink()
            folder.rmdir()


def _is_free(folder: Path) -> bool:
    try:
        if {entry.name for entry in os.scandir(folder)} != {run_file.NAME, shapes_file.NAME}:
            return False
        with (folder / shapes_file.NAME).open("rb") as file:
            return MARK in file.read(HEAD)
    except OSError:
        return False
