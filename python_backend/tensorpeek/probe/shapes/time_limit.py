"""Ends what runs too long in this thread, as far as Python can."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Generator
from contextlib import contextmanager


class TooLong(BaseException):
    """Not an Exception, so that the code that takes so long does not handle it."""


@contextmanager
def limited(seconds: float) -> Generator[None]:
    """Raises TooLong in what runs meanwhile; a function that is in C code hears of it when it returns."""
    thread = threading.get_ident()
    lock = threading.Lock()
    is_over = is_raised = False

    def end() -> None:
        nonlocal is_raised
        with lock:
            if not is_over:
                is_raised = True
                _raise_in(thread, TooLong)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    # The debugger neither traces nor shows its own threads.
    timer.__dict__.update(pydev_do_not_trace=True, is_pydev_daemon_thread=True)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        with lock:
            is_over = True
            if is_raised:
                _raise_in(thread, None)


def _raise_in(thread: int, kind: type[BaseException] | None) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(thread), ctypes.py_object(kind) if kind is not None else None
    )
