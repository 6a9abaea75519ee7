"""Finds and ends the processes of one test, also those that left their parent."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

MARK = "TENSORPEEK_TEST_MARK"
"""Environment variable that every process of a test inherits, so that daemons are found too."""


def marked_processes(mark: str) -> list[int]:
    """Process ids whose environment carries this mark, without zombies and without ourselves."""
    wanted = f"{MARK}={mark}".encode()
    return [
        pid for pid in _all_pids() if pid != os.getpid() and wanted in _environment(pid) and is_alive(pid)
    ]


def is_alive(pid: int) -> bool:
    """Whether the process exists and is not a zombie."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in ("Z", "X")


def cmdline(pid: int) -> str:
    """The command line, words separated by blanks; empty when the process is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""


def kill(pid: int, number: int = signal.SIGKILL) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def wait_until(condition: Callable[[], bool], timeout: float = 30.0, what: str = "a condition") -> None:
    """Polls a condition on the outside world that nobody announces, such as the end of a process."""
    end = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"no {what} within {timeout} s")
        time.sleep(0.01)


def _all_pids() -> list[int]:
    return [int(folder.name) for folder in Path("/proc").iterdir() if folder.name.isdigit()]


def _environment(pid: int) -> list[bytes]:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return []
