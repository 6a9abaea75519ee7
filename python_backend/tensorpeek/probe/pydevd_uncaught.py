"""A stop where an exception ends the program or a thread, while its lines are not traced.

pydevd learns of such an exception from tracing alone. Python itself tells of it once it has left all frames,
and the traceback keeps those; pydevd can show them from there.
"""

from __future__ import annotations

import sys
import threading
from types import TracebackType
from typing import Any

from tensorpeek.probe import pydevd_access, pydevd_tracing


def install() -> None:
    """Once in a process. With sys.monitoring pydevd hears of every exception by itself."""
    if sys.version_info >= (3, 12):
        return
    tell_of_end = sys.excepthook
    tell_of_threads_end = threading.excepthook

    def stop_and_tell(
        kind: type[BaseException], error: BaseException, traceback: TracebackType | None
    ) -> None:
        stop(kind, error, traceback)
        tell_of_end(kind, error, traceback)

    def stop_and_tell_of_thread(told: Any) -> None:
        stop(told.exc_type, told.exc_value, told.exc_traceback)
        tell_of_threads_end(told)

    sys.excepthook = stop_and_tell
    threading.excepthook = stop_and_tell_of_thread
    # `atexit` would be too late: to pydevd the main thread counts as dead by then.
    getattr(threading, "_register_atexit")(stop_late)  # noqa: B009 (is in no stub)


def stop_late() -> None:
    """For a program with an excepthook of its own, which has printed the exception by now."""
    if sys.excepthook.__module__ != __name__ and getattr(sys, "last_traceback", None) is not None:
        stop(sys.last_type, sys.last_value, sys.last_traceback)


def stop(kind: Any, error: BaseException | None, traceback: TracebackType | None) -> None:
    full_speed = pydevd_tracing.of_process()
    if full_speed is None or not full_speed.is_off or traceback is None:
        return
    debugger = pydevd_access.debugger()
    thread = threading.current_thread()
    info = debugger.set_additional_thread_info(thread)
    if info.suspended_at_unhandled:
        return
    info.suspended_at_unhandled = True
    info.is_tracing += 1
    try:
        debugger.stop_on_unhandled_exception(debugger, thread, info, (kind, error, traceback))
    finally:
        info.is_tracing -= 1
