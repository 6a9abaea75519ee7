"""Notices what is written into run folders, also where an editor doesn't tell of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from tensorpeek.runs import findings_file, shapes_file
from tensorpeek.runs.folder import RUNS, newest_first

SECONDS = 2.0
"""Between two looks: an editor may not tell of a file that is written together with its folder."""
MOST_RUNS = 8
"""Whose files are looked at, the newest of each workspace folder."""
FILES = (findings_file.NAME, shapes_file.NAME)

State = list[tuple[str, int, int]]
"""Path, time of the last change in nanoseconds, and bytes of each file."""


class RunWatch:
    """Calls a function once for each change, whoever notices it first."""

    def __init__(self, folders: Callable[[], Sequence[Path]], changed: Callable[[], None]) -> None:
        self._folders = folders
        self._changed = changed
        self._state: State = []
        self._next: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        """What is there by now is taken as read."""
        self._state = _state(self._folders())
        self._wait()

    def look(self) -> None:
        state = _state(self._folders())
        if state != self._state:
            self._state = state
            self._changed()

    def end(self) -> None:
        if self._next is not None:
            self._next.cancel()

    def _wait(self) -> None:
        self._next = asyncio.get_running_loop().call_later(SECONDS, self._look_again)

    def _look_again(self) -> None:
        self._wait()
        self.look()


def _state(folders: Sequence[Path]) -> State:
    found: State = []
    for folder in folders:
        for run in newest_first(folder / RUNS)[:MOST_RUNS]:
            for name in FILES:
                try:
                    status = (run / name).stat()
                except OSError:
                    continue
                found.append((str(run / name), status.st_mtime_ns, status.st_size))
    return found
