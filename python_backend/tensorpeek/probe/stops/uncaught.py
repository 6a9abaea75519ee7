"""Tells the training of an exception that nothing caught, whoever comes upon it first: pydevd or Python."""

from __future__ import annotations

import sys
import threading
from types import TracebackType
from typing import Any, Callable, Optional

from tensorpeek.probe import pydevd_stops
from tensorpeek.probe.pydevd_stops import ExcInfo, Notice
from tensorpeek.probe.training.tracebacks import users_frames

MakeStop = Callable[[Optional[Notice]], None]


class Uncaught(threading.local):
    """What is going on in this thread."""

    stop: MakeStop | None = None
    """Stops post mortem; None while no exception is being looked at."""


class UncaughtExceptions:
    """`tell` hears of each one once, and may call `stop` meanwhile."""

    def __init__(self, tell: Callable[[BaseException], None]) -> None:
        self._tell = tell
        self._state = Uncaught()
        self._told: BaseException | None = None
        """Until Python has done with it."""
        self._hook = sys.excepthook
        self._thread_hook = threading.excepthook
        self.is_on = False
        self.explains = False
        """Whether it is told too while it is off, where pydevd stops in any case."""

    @property
    def stop(self) -> MakeStop | None:
        """What stops at the exception that is being told of in this thread."""
        return self._state.stop

    def register(self) -> None:
        pydevd_stops.on_uncaught(self._pydevd_came_upon)

    def install(self) -> None:
        """Puts us before the program's own hooks, which are called as always."""
        if self.is_on:
            return
        self.is_on = True
        self._hook, self._thread_hook = sys.excepthook, threading.excepthook
        sys.excepthook, threading.excepthook = self._excepthook, self._thread_excepthook

    def uninstall(self) -> None:
        """Where the program has put its own hooks before ours, ours stay, and only pass on."""
        self.is_on = False
        if sys.excepthook == self._excepthook:
            sys.excepthook = self._hook
        if threading.excepthook == self._thread_excepthook:
            threading.excepthook = self._thread_hook

    def _excepthook(
        self, kind: type[BaseException], error: BaseException, traceback: TracebackType | None
    ) -> None:
        try:
            self._python_came_upon((kind, error, traceback))
            self._hook(kind, error, traceback)
        finally:
            self._told = None

    def _thread_excepthook(self, arguments: Any) -> None:
        try:
            if arguments.exc_value is not None:
                self._python_came_upon((arguments.exc_type, arguments.exc_value, arguments.exc_traceback))
            self._thread_hook(arguments)
        finally:
            self._told = None

    def _pydevd_came_upon(self, error: ExcInfo, stop: MakeStop) -> None:
        """pydevd stops in any case; only what it says depends on what was found."""
        is_to_be_told = self._is_new(error[1]) if self.is_on else self.explains
        if not is_to_be_told or not self._tell_of(error[1], stop):
            stop(None)

    def _python_came_upon(self, error: ExcInfo) -> None:
        frames = users_frames(error[2])

        def stop(notice: Notice | None) -> None:
            if frames and notice is not None:
                pydevd_stops.stop_at_exception(frames[-1][0], error, notice)

        if self._is_new(error[1]):
            self._tell_of(error[1], stop)

    def _is_new(self, error: BaseException) -> bool:
        if not self.is_on or error is self._told or isinstance(error, KeyboardInterrupt):
            return False
        self._told = error
        return True

    def _tell_of(self, error: BaseException, stop: MakeStop) -> bool:
        """Returns whether somebody stopped for it."""
        has_stopped = False

        def stop_once(notice: Notice | None) -> None:
            nonlocal has_stopped
            if not has_stopped:
                has_stopped = True
                stop(notice)

        self._state.stop = stop_once
        try:
            self._tell(error)
        finally:
            self._state.stop = None
        return has_stopped
