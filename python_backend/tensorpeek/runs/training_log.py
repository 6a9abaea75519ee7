"""`training.log` of a run folder: lines with time and level, for a person who reads in the morning."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

NAME = "training.log"
LONGEST = 10_000
"""Characters of one message."""


def append(folder: Path, text: str, level: str, time: datetime) -> None:
    """Writes one line; further lines of a message are indented, so that a line with a time begins a message.

    Raises OSError.
    """
    message = text[:LONGEST].rstrip().replace("\r\n", "\n").replace("\n", "\n    ")
    line = f"{time.isoformat(timespec='milliseconds')} {level:<7} {message}\n"
    with (folder / NAME).open("a", encoding="utf-8", errors="backslashreplace") as file:
        file.write(line)
