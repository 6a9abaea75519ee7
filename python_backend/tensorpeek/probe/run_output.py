"""What a training leaves on disk: the findings and the log of its run folder."""

from __future__ import annotations

import os
import sys
import threading
from datetime import datetime
from pathlib import Path
from typing import Callable

from tensorpeek.contract.messages import Finding
from tensorpeek.runs import findings_file, training_log
from tensorpeek.runs.folder import RUNS, RunFolder, now


class RunOutput:
    """One per process. A disk that can't be written to is said once and never stops the program."""

    def __init__(self) -> None:
        self._started = now()
        self._folder: RunFolder | None = None
        self._runs = RUNS
        self._command: list[str] | None = None
        self._last: Finding | None = None
        self._lock = threading.Lock()
        self._has_failed = False
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._begin_anew)
        self.complain: Callable[[str], None] = lambda problem: None
        """Told once what keeps us from writing."""

    @property
    def written(self) -> Path | None:
        """The run folder; None while nothing was written."""
        return None if self._folder is None else self._folder.written

    @property
    def runs(self) -> Path:
        """The folder of all runs."""
        return self._runs.absolute()

    def path(self) -> Path:
        """The run folder, which exists from now on. Raises OSError."""
        with self._lock:
            return self._known_folder().path()

    def write_into(self, runs: str, command: list[str] | None = None) -> None:
        """Names the folder of all runs, before anything is written; the working directory's when empty.

        `command` is the program, as started, and its arguments; by default what sys.argv says by then.
        """
        if self._folder is None:
            self._runs = Path(runs).absolute() if runs else RUNS.absolute()
            self._command = command

    def add_finding(self, finding: Finding) -> None:
        """Once, also where the command line and a debugger that was attached to it both tell of it."""
        if finding is self._last:
            return
        self._last = finding
        where = f"{finding['path']}:{finding['line']} " if finding["path"] else ""
        text = f"{finding['title']}: {where}step {finding['step']}: {finding['message']}"
        self._write(lambda folder: findings_file.append(folder, finding))
        self.log(text, "WARNING")

    def log(self, text: str, level: str = "INFO", time: datetime | None = None) -> None:
        """A line of `training.log`."""
        self._write(lambda folder: training_log.append(folder, text, level, time or now()))

    def _begin_anew(self) -> None:
        """In a forked process, which is a run of its own and must not wait for another thread's lock."""
        self._folder = None
        self._lock = threading.Lock()

    def _write(self, write: Callable[[Path], None]) -> None:
        try:
            write(self.path())
        except OSError as error:
            if not self._has_failed:
                self._has_failed = True
                self.complain(f"The run folder can't be written: {error}")

    def _known_folder(self) -> RunFolder:
        if self._folder is None:
            program, *arguments = self._command or sys.argv or [""]
            self._folder = RunFolder(self._runs, program, arguments, self._started)
        return self._folder


RUN_OUTPUT = RunOutput()
