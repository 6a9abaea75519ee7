# pyright: reportMissingImports=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportAttributeAccessIssue=false
"""Full speed: pydevd's tracing is off in the program's threads while nothing needs it.

Up to Python 3.11 pydevd is called for every call that the program makes, breakpoints or not. Here each thread
is given a _gate_ as its trace function: called for the next call in that thread, it takes the tracing out,
in the thread itself, as Python wants it. pydevd knows best what needs tracing, so it is asked, where its
breakpoints change, and before it suspends a thread; nothing depends on who set a breakpoint or how.
From Python 3.12 on pydevd uses sys.monitoring, which costs nothing where there is no breakpoint.
"""

from __future__ import annotations

import sys
import threading
from types import FrameType
from typing import Any, Callable

from tensorpeek.probe import pydevd_access

Trace = Callable[[FrameType, str, Any], Any]
Shared = Callable[[FrameType, str, Any, Trace], Any]
"""A trace function of ours for all threads; the last argument is pydevd's."""

OURS = "_tensorpeek_full_speed"
"""Attribute of a PyDB; a forked child makes a PyDB of its own, which starts with everything traced."""
RUNNING = 1
"""pydevd's STATE_RUN."""
NOT_STEPPING = -1
NEEDED = (
    *("breakpoints", "function_breakpoint_name_to_breakpoint", "has_plugin_line_breaks"),
    *("break_on_caught_exceptions", "break_on_user_uncaught_exceptions", "has_plugin_exception_breaks"),
    *("trace_dispatch", "fix_top_level_trace_and_get_trace_func", "set_tracing_for_untraced_contexts"),
    *("ready_to_run", "get_file_type", "PYDEV_FILE", "on_breakpoints_changed", "set_suspend"),
)
"""Of a PyDB; another one is left alone."""


class FullSpeed:
    """Takes the tracing of one PyDB out and in. Threads are traced unless `is_off`, and perhaps even then."""

    def __init__(self, debugger: Any) -> None:
        import pydevd_tracing

        self._debugger = debugger
        self._tracing: Any = pydevd_tracing
        self._trace: Trace = debugger.trace_dispatch
        self._gate: Trace = self._dispatch
        # Where a trace function of a frame is replaced while it runs, nothing else may hold it.
        debugger.trace_dispatch = self._gate
        self._lock = threading.RLock()  # a signal handler may run into a breakpoint while it is held
        self._shared: Shared | None = None
        self._local = threading.local()
        self.is_off = False
        if getattr(threading, "_trace_hook", None) is not None:
            threading.settrace(self._gate)

    def review(self) -> None:
        """Something has changed: takes the tracing out or in where that is right now."""
        if not self._is_needed():
            self.off()
        elif self.is_off:
            self.on()

    def resumed(self) -> None:
        """This thread runs on, with pydevd's trace function in it; the others see to themselves."""
        with self._lock:
            self.is_off = not self._is_needed()
            if self.is_off or self._shared is not None:
                self._give_gate([threading.get_ident()])

    def off(self) -> None:
        """Each thread that neither steps nor is suspended goes untraced from its next call on."""
        with self._lock:
            self.is_off = True
            if self._debugger.ready_to_run:
                self._give_gate(self._threads())

    def on(self) -> None:
        """Every thread is traced again, the functions that are running now included."""
        with self._lock:
            if not self.is_off:
                return
            self.is_off = False
            if self._debugger.ready_to_run:
                self._give_gate(self._threads())
                self._debugger.set_tracing_for_untraced_contexts()

    def share(self, shared: Shared | None) -> Trace:
        """From now on all threads are traced by a function of ours, which calls pydevd's."""
        with self._lock:
            self._shared = shared
            if shared is not None and self._debugger.ready_to_run:
                self._give_gate(self._threads())
                self._debugger.set_tracing_for_untraced_contexts()
        self.review()
        return self._pydevds

    def _is_needed(self) -> bool:
        debugger = self._debugger
        return bool(
            any(debugger.breakpoints.values())
            or debugger.function_breakpoint_name_to_breakpoint
            or debugger.break_on_caught_exceptions
            or debugger.break_on_user_uncaught_exceptions
            or debugger.has_plugin_line_breaks
            or debugger.has_plugin_exception_breaks
        )

    def _threads(self) -> list[int]:
        """The program's."""
        own = {
            thread.ident
            for thread in threading.enumerate()
            if getattr(thread, "pydev_do_not_trace", False)
            or getattr(thread, "is_pydev_daemon_thread", False)
        }
        running: Any = sys._current_frames()  # pyright: ignore[reportPrivateUsage] (has no other name)
        return [ident for ident in running if ident not in own]

    def _give_gate(self, threads: list[int]) -> None:
        if threads:
            self._tracing.set_trace_to_threads(self._gate, thread_idents=threads, create_dummy_thread=False)

    def _dispatch(self, frame: FrameType, event: str, argument: Any) -> Any:
        """The gate: a thread's trace function until pydevd's own takes its place, or none does."""
        shared = self._shared
        if shared is not None:
            info = pydevds_info()
            inside = info is not None and info.is_tracing
            return None if inside else shared(frame, event, argument, self._pydevds)
        if not self.is_off:
            return self._trace(frame, event, argument)
        info = pydevds_info()
        if info is not None and not info.is_tracing and is_busy(info):
            return self._trace(frame, event, argument)
        if (info is None or not info.is_tracing) and not self._is_pydevds(frame):
            self._tracing.SetTrace(None)
            if not self.is_off:  # `on` came in between, and may not have seen this thread untraced
                self._tracing.SetTrace(self._gate)
        return None

    def _pydevds(self, frame: FrameType, event: str, argument: Any) -> Any:
        """What pydevd does, without putting its trace function into the thread."""
        info = pydevds_info()
        if self.is_off and (info is None or not is_busy(info)):
            return None
        trace: Any = getattr(self._local, "trace", None)
        if trace is None:
            debugger = self._debugger
            trace, is_threads = debugger.fix_top_level_trace_and_get_trace_func(debugger, frame)
            if is_threads:
                self._local.trace = trace
        return None if trace is None else trace(frame, event, argument)

    def _is_pydevds(self, frame: FrameType) -> bool:
        """pydevd's own code may be about to ask for a stop, as `breakpoint()` does."""
        return self._debugger.get_file_type(frame) == self._debugger.PYDEV_FILE


def pydevds_info() -> Any:
    """What pydevd knows of this thread; None while that is nothing."""
    return getattr(threading._active.get(threading.get_ident()), "additional_info", None)


def is_busy(info: Any) -> bool:
    """Whether a thread steps or is to be suspended."""
    return info.pydev_step_cmd != NOT_STEPPING or info.pydev_state != RUNNING


def of_process() -> FullSpeed | None:
    """The one of the present debugger; None where there is nothing to gain."""
    return getattr(pydevd_access.debugger(), OURS, None)


def install() -> None:
    """Called for each debugger that this process has, once or more."""
    debugger = pydevd_access.debugger()
    if debugger is None or not can_be_switched(debugger):
        return
    if getattr(debugger, OURS, None) is None:
        setattr(debugger, OURS, FullSpeed(debugger))
    watch(type(debugger))
    review()


def review() -> None:
    full_speed = of_process()
    if full_speed is not None:
        full_speed.review()


def resumed() -> None:
    full_speed = of_process()
    if full_speed is not None:
        full_speed.resumed()


def share(shared: Shared | None) -> Trace | None:
    """Traces all threads by a function of ours, until that is None; returns pydevd's, None where it can't."""
    full_speed = of_process()
    return None if full_speed is None else full_speed.share(shared)


def can_be_switched(debugger: Any) -> bool:
    """Whether tracing can be switched on from another thread: without that it is better left on."""
    import pydevd
    import pydevd_tracing
    from _pydevd_bundle.pydevd_constants import IS_CPYTHON

    return bool(
        all(hasattr(debugger, name) for name in NEEDED)
        and IS_CPYTHON
        and sys.version_info < (3, 12)
        and debugger.frame_eval_func is None
        and pydevd.pydevd_gevent_integration is None
        and pydevd_tracing._load_python_helper_lib() is not None
    )


def watch(cls: Any) -> None:
    """Hears of what may need tracing, before pydevd acts on it."""
    if hasattr(cls, OURS):
        return
    setattr(cls, OURS, None)
    breakpoints_changed, set_suspend = cls.on_breakpoints_changed, cls.set_suspend

    def review_and_change(debugger: Any, *arguments: Any, **options: Any) -> Any:
        review()
        return breakpoints_changed(debugger, *arguments, **options)

    def trace_and_suspend(debugger: Any, *arguments: Any, **options: Any) -> Any:
        full_speed = of_process()
        if full_speed is not None:
            full_speed.on()
        return set_suspend(debugger, *arguments, **options)

    cls.on_breakpoints_changed = review_and_change
    cls.set_suspend = trace_and_suspend
    pydevd_access.on_resume(resumed)
