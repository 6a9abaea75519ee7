"""Runs a function in a forked copy of this process, so that whatever it does leaves no trace here.

The copy can read everything and change nothing outside of itself: it has no open files but `/dev/null`, may
not open any, starts no process, and is ended when its time is over. Its answer comes back as JSON by a pipe.
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import sys
import threading
import time
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Any, Callable, NoReturn

from tensorpeek.probe.quiet import ignored_warnings

try:
    import resource
except ImportError:  # Windows
    resource = None

AT_START: list[Callable[[], None]] = []
"""Called first in the copy: whoever hooks into the program makes its hooks silent there."""

Answer = dict[str, Any]

_FILE_EVENTS = ("open", "os.", "shutil.", "subprocess.", "socket.", "pty.", "sqlite3.", "ftplib.", "urllib.")
_HARMLESS = frozenset(
    {"os.listdir", "os.scandir", "os.walk", "os.fwalk", "os.listxattr", "os.getxattr"}
    | {"os.putenv", "os.unsetenv"}  # the copy's own environment
)
_MOST_BYTES = 1 << 22
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
"""Flags of a file that is opened for more than reading."""


class NoCopy(Exception):
    """The process can't be copied, or the copy gave no answer; the text says why."""


def obstacle(module: Any) -> str:
    """Why this process can't be copied to run the module there, empty when it can."""
    if not hasattr(os, "fork") or resource is None:
        return "this system cannot copy a running process"
    torch = sys.modules["torch"]
    for name in ("cuda", "xpu"):
        device = getattr(torch, name, None)
        if device is not None and device.is_initialized():
            return f"a process that uses {name.upper()} cannot be copied"
    weight = next(module.parameters(), None) if module is not None else None
    if weight is not None and weight.device.type != "cpu":
        return f"a process that uses {weight.device.type.upper()} cannot be copied"
    return ""


def in_copy(
    function: Callable[[], Answer],
    seconds: float,
    what: str = "running the step again",
    may_read: bool = False,
    most_bytes: int = _MOST_BYTES,
) -> Answer:
    """What the function returns in a copy of this process. Raises NoCopy.

    The function may also answer early, by `answer`, and is then not returned to. `what` says for the user
    what it does; with `may_read` it may open files to read them, as an import does.
    """
    reading, writing = os.pipe()
    try:
        with ignored_warnings():  # Python 3.12 warns of threads, of which the copy has none
            child = _fork()()
    except OSError as error:
        os.close(reading)
        os.close(writing)
        raise NoCopy(f"the process could not be copied: {error.strerror}") from error
    if child == 0:
        _live_as_copy(function, writing, seconds, what, may_read)
    os.close(writing)
    try:
        text = _read_all(reading, time.monotonic() + seconds, most_bytes)
    finally:
        os.close(reading)
        status = _end(child)
    if text is None:
        raise NoCopy(f"{what} took longer than {seconds:.0f} s")
    if not text:
        how = f"by signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else "without an answer"
        raise NoCopy(f"{what} in a copy of the process ended {how}")
    found = json.loads(text)
    if "failure" in found:
        raise NoCopy(found["failure"])
    return found


def answer(found: Answer) -> NoReturn:
    """Sends the answer of the copy, from wherever in the program it is, and ends the copy."""
    _write_all(_answer_to[0], json.dumps(found).encode())
    os._exit(0)


_answer_to: list[int] = []
"""In the copy: where its answer goes."""


def _fork() -> Callable[[], int]:
    """The system's own fork; pydevd replaces it by one that starts debugging in the child."""
    return getattr(os, "original_fork", os.fork)


def _live_as_copy(
    function: Callable[[], Answer], writing: int, seconds: float, what: str, may_read: bool
) -> NoReturn:
    """Never returns, whatever happens: the rest of the program must not run twice."""
    try:
        _answer_to[:] = [writing]
        _become_harmless(writing, seconds, may_read)
        answer(function())
    except BaseException as error:  # noqa: BLE001 - any way out but this one would go on with the user's program
        with suppress(BaseException):
            answer({"failure": failure_text(error, what)})
    finally:
        os._exit(1)


def failure_text(error: BaseException, what: str = "running the step again") -> str:
    """The exception and the line of the user's that raised it."""
    last = traceback.extract_tb(error.__traceback__)[-1:]
    where = f" at {Path(last[0].filename).name}:{last[0].lineno}" if last else ""
    words = str(error).strip().splitlines()
    return f"{what} failed with {type(error).__name__}{where}: {words[0] if words else ''}"


def _become_harmless(writing: int, seconds: float, may_read: bool) -> None:
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")  # where memory runs out, the copy has to go
    _let_go_of_files(writing)
    # pydevd has put a function of its own there, which would warn on stderr.
    sys.settrace(None)
    threading.settrace(None)
    sys.setprofile(None)
    _silence_monitoring()
    gc.disable()  # a collection would run finalizers of the user's, and copy every page that it looks at
    for kind in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM, signal.SIGPIPE, signal.SIGCHLD):
        signal.signal(kind, signal.SIG_DFL)
    # Even if this process's parent is gone, the copy ends.
    signal.setitimer(signal.ITIMER_REAL, seconds + 1)
    for start in AT_START:
        start()
    sys.modules["torch"].set_num_threads(1)  # the copy has none of the other threads
    _open_no_more(may_read)
    sys.addaudithook(_refuse_but_reading if may_read else _refuse)


def _silence_monitoring() -> None:
    monitoring = getattr(sys, "monitoring", None)
    if monitoring is None:
        return
    for tool in range(6):
        if monitoring.get_tool(tool) is not None:
            monitoring.set_events(tool, 0)
            for event in range(20):
                with suppress(ValueError):
                    monitoring.register_callback(tool, 1 << event, None)


def _let_go_of_files(writing: int) -> None:
    """Puts /dev/null in the place of every open file and socket; what uses them neither harms nor fails."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    try:
        numbers = [int(name) for name in os.listdir("/dev/fd")]  # noqa: PTH208 - a Path for each would be no gain
    except OSError:
        numbers = list(range(1024))
    for number in numbers:
        if number not in (writing, nowhere):
            with suppress(OSError):
                os.fstat(number)
                os.dup2(nowhere, number, inheritable=False)


def _open_no_more(may_read: bool) -> None:
    assert resource is not None
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if not may_read:
        resource.setrlimit(resource.RLIMIT_NOFILE, (0, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    """An audit hook; those can't be taken out, which is no matter in a copy."""
    if event.startswith(_FILE_EVENTS) and event not in _HARMLESS:
        raise PermissionError(f"the copy may not do {event}")


def _refuse_but_reading(event: str, arguments: tuple[Any, ...]) -> None:
    if event != "open" or arguments[2] & _WRITING:
        _refuse(event, arguments)


def _write_all(file: int, data: bytes) -> None:
    while data:
        data = data[os.write(file, data) :]


def _read_all(file: int, end: float, most_bytes: int) -> bytes | None:
    """What comes until the pipe is closed; None when the time is over before."""
    parts: list[bytes] = []
    size = 0
    while True:
        left = end - time.monotonic()
        if left <= 0 or not select.select([file], [], [], left)[0]:
            return None
        part = os.read(file, 1 << 16)
        if not part or size > most_bytes:
            return b"".join(parts)
        parts.append(part)
        size += len(part)


def _end(child: int) -> int:
    """Ends the copy if it is still there, and waits for it; returns its exit status."""
    try:
        pid, status = os.waitpid(child, os.WNOHANG)
        if not pid:
            os.kill(child, signal.SIGKILL)
            _, status = os.waitpid(child, 0)
    except (ChildProcessError, ProcessLookupError):
        return 0  # a handler of the program's own has waited for it
    return status
