"""What can be known of and done to the debugged processes from outside; best effort, by /proc."""

from __future__ import annotations

import os
import signal
from pathlib import Path

_PROC = Path("/proc")


def process_name(pid: int, parent: int | None = None) -> str:
    """A few characters for a child process: `rank 3`, `worker` (started by multiprocessing), or `pid 123`."""
    for entry in _read(pid, "environ").split(b"\0"):
        name, _, value = entry.partition(b"=")
        if name == b"RANK" and value.isdigit():
            return f"rank {int(value)}"
    words = _read(pid, "cmdline")
    forked = parent is not None and words and words == _read(parent, "cmdline")
    if forked or b"multiprocessing.spawn" in words or b"multiprocessing.forkserver" in words:
        return "worker"
    return f"pid {pid}"


class LaunchedProcess:
    """The program that a launch started, remembered well enough to end it when debugpy no longer can.

    Only where there is a /proc; elsewhere debugpy's launcher, which ends the program with itself, has to do.
    """

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._started = _start_time(pid)
        launcher = _parent(pid)
        self._launcher = (launcher, _start_time(launcher)) if launcher > 1 else None

    @property
    def is_alive(self) -> bool:
        return _is_same(self.pid, self._started)

    def kill(self) -> None:
        """Ends the program with the process group that debugpy's launcher made for it, and the launcher."""
        if self.is_alive:
            _kill(self.pid)
        if (
            self._launcher is not None
            and _is_same(*self._launcher)
            and b"debugpy" in _read(self._launcher[0], "cmdline")
        ):
            _kill(self._launcher[0])


def _kill(pid: int) -> None:
    try:
        if os.getpgid(pid) == pid:
            os.killpg(pid, signal.SIGKILL)
        else:
            os.kill(pid, signal.SIGKILL)
    except OSError:
        pass


def _is_same(pid: int, started: str) -> bool:
    """Whether the process still runs and is not another one under a reused number; never without /proc."""
    return bool(started) and _start_time(pid) == started


def _start_time(pid: int) -> str:
    """When the process started, in a form only good for comparing; empty for none and for zombies."""
    fields = _stat(pid)
    return fields[19] if len(fields) > 19 and fields[0] not in ("Z", "X") else ""


def _parent(pid: int) -> int:
    fields = _stat(pid)
    return int(fields[1]) if len(fields) > 1 else 0


def _stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat after the name, which may itself hold blanks and parentheses."""
    return _read(pid, "stat").decode(errors="replace").rpartition(")")[2].split()


def _read(pid: int, name: str) -> bytes:
    try:
        return (_PROC / str(pid) / name).read_bytes()
    except OSError:
        return b""
