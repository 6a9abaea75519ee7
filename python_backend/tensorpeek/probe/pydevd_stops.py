# pyright: reportMissingImports=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportAttributeAccessIssue=false
"""Stops the program through pydevd: at once, in a frame of our choice, for a reason in our words.

pydevd knows stops that its tracing comes upon. Ours are made in code that torch calls, where nothing is
traced, so the thread is put into pydevd's wait loop directly, as `debugpy.trigger_exception_handler` does.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any, Callable, NamedTuple, Optional

from tensorpeek.probe import pydevd_access

ExcInfo = tuple[type[BaseException], BaseException, Optional[TracebackType]]

OURS = "tensorpeek"
"""In the body of a `stopped` event of ours, so that the adapter asks for more only where there is more."""


class Notice(NamedTuple):
    """What the client is told of a stop, in DAP's words."""

    reason: str
    description: str
    text: str


_notices: dict[int, Notice] = {}
"""By the ident of the thread that is stopped by us."""
_describe_breakpoint: Callable[[int], tuple[str, str] | None] | None = None


def problem() -> str:
    """Why this pydevd can't be stopped by us, empty when it can."""
    try:
        from _pydevd_bundle import pydevd_vars
        from _pydevd_bundle.pydevd_additional_thread_info import set_additional_thread_info
        from _pydevd_bundle.pydevd_comm_constants import CMD_SET_BREAK, CMD_WRITE_TO_CONSOLE
        from _pydevd_bundle.pydevd_net_command import NetCommand
        from _pydevd_bundle.pydevd_net_command_factory_json import NetCommandFactoryJson
        from _pydevd_bundle.pydevd_thread_lifecycle import resume_threads
        from pydevd import PyDB
    except ImportError as error:
        return f"this debugpy is not the one TensorPeek knows: {error}"
    needed: list[tuple[object, str]] = [
        (NetCommandFactoryJson, "make_thread_suspend_single_notification"),
        *((PyDB, name) for name in ("set_suspend", "do_wait_suspend", "do_stop_on_unhandled_exception")),
        (pydevd_vars, "evaluate_expression"),
    ]
    missing = [name for owner, name in needed if not hasattr(owner, name)]
    usable = callable(resume_threads) and callable(set_additional_thread_info) and callable(NetCommand)
    if missing or not usable or not CMD_SET_BREAK or not CMD_WRITE_TO_CONSOLE:
        return f"this debugpy has no {', '.join(missing) or 'way to stop'}"
    return ""


def describe_stops() -> None:
    """From now on the client hears the notice of a stop instead of pydevd's own words. Called once."""
    from _pydevd_bundle.pydevd_net_command import NetCommand
    from _pydevd_bundle.pydevd_net_command_factory_json import NetCommandFactoryJson

    make = NetCommandFactoryJson.make_thread_suspend_single_notification

    def make_described(factory: Any, py_db: Any, thread_id: Any, thread: Any, stop_reason: Any) -> Any:
        command = make(factory, py_db, thread_id, thread, stop_reason)
        body = _described(command.as_dict["body"], thread.ident)
        if body is None:
            return command
        return NetCommand(command.id, 0, {"type": "event", "event": "stopped", "body": body}, is_json=True)

    NetCommandFactoryJson.make_thread_suspend_single_notification = make_described


def _described(body: dict[str, Any], ident: int) -> dict[str, Any] | None:
    notice = _notices.get(ident)
    if notice is not None:
        said = {"reason": notice.reason, "description": notice.description, "text": notice.text}
        return {**body, **said, "preserveFocusHint": False, OURS: True}
    if body.get("reason") == "breakpoint" and _describe_breakpoint is not None:
        words = _describe_breakpoint(ident)
        if words is not None:
            return {**body, "description": words[0], "text": words[1]}
    return None


def describe_breakpoints_by(describe: Callable[[int], tuple[str, str] | None]) -> None:
    """`describe` is asked for the description and text of a line breakpoint that a thread has hit."""
    global _describe_breakpoint
    _describe_breakpoint = describe


def can_stop() -> bool:
    """Whether this thread can be stopped: a debugger is there, and it is not stopped already."""
    debugger = pydevd_access.debugger()
    return (
        debugger is not None
        and not debugger.pydb_disposed
        and not getattr(threading.current_thread(), "is_pydev_daemon_thread", False)
        and not is_evaluating()
    )


def is_evaluating() -> bool:
    """Whether this thread is stopped, and runs what the user evaluates meanwhile."""
    info = getattr(threading.current_thread(), "additional_info", None)
    return bool(getattr(info, "is_in_wait_loop", False))


def stop(frame: FrameType, notice: Notice, line: int = 0) -> None:
    """Stops this thread in the frame, which it is in; returns when the user goes on.

    The client is shown `line` where that is given: pydevd reads it off a traceback.

    Raises what interrupts the wait (KeyboardInterrupt), with the program running on.
    """
    from _pydevd_bundle.pydevd_comm_constants import CMD_SET_BREAK

    debugger, thread = pydevd_access.debugger(), threading.current_thread()
    with _untraced(), _noticed(notice):
        debugger.set_suspend(thread, CMD_SET_BREAK)
        if line and line != frame.f_lineno:
            traceback = TracebackType(None, frame, frame.f_lasti, line)
            debugger.do_wait_suspend(thread, frame, "exception", (Exception, Exception(), traceback))
        else:
            debugger.do_wait_suspend(thread, frame, "line", None)


def stop_at_exception(frame: FrameType, error: ExcInfo, notice: Notice) -> None:
    """Stops post mortem, in a frame that the exception has left; pydevd does not do so again."""
    thread = threading.current_thread()
    with _untraced() as info, _noticed(notice):
        info.suspended_at_unhandled = True
        pydevd_access.debugger().do_stop_on_unhandled_exception(thread, frame, None, error)


def on_uncaught(callback: Callable[[ExcInfo, Callable[[Notice | None], None]], None]) -> None:
    """Calls back instead of stopping at an uncaught exception; the second argument makes that stop."""
    from pydevd import PyDB

    stop_on_unhandled = PyDB.do_stop_on_unhandled_exception

    def ask_and_stop(debugger: Any, thread: Any, frame: Any, frames_by_id: Any, error: Any) -> None:
        if threading.get_ident() in _notices:
            stop_on_unhandled(debugger, thread, frame, frames_by_id, error)
            return

        def make_stop(notice: Notice | None) -> None:
            with _noticed(notice):
                stop_on_unhandled(debugger, thread, frame, frames_by_id, error)

        callback(error, make_stop)

    PyDB.do_stop_on_unhandled_exception = ask_and_stop


@contextmanager
def _untraced() -> Generator[Any]:
    """pydevd must not trace its own wait loop; afterwards this thread is traced, so that steps work.

    Gives what pydevd knows of the thread.
    """
    from _pydevd_bundle.pydevd_additional_thread_info import set_additional_thread_info
    from _pydevd_bundle.pydevd_constants import PYDEVD_USE_SYS_MONITORING

    info = set_additional_thread_info(threading.current_thread())
    pydevd_access.debugger().enable_tracing()
    monitoring: Any = sys.modules.get("_pydevd_sys_monitoring.pydevd_sys_monitoring")
    was_monitored = PYDEVD_USE_SYS_MONITORING and monitoring.suspend_current_thread_tracing()
    info.is_tracing += 1
    try:
        yield info
    except BaseException:
        _run_on()
        raise
    finally:
        info.is_tracing -= 1
        if was_monitored:
            monitoring.resume_current_thread_tracing()


def _run_on() -> None:
    """Ctrl+C has ended the wait, and no thread may stay suspended by it."""
    from _pydevd_bundle.pydevd_thread_lifecycle import resume_threads

    resume_threads("*")


@contextmanager
def _noticed(notice: Notice | None) -> Generator[None]:
    ident = threading.get_ident()
    if notice is not None:
        _notices[ident] = notice
    try:
        yield
    finally:
        _notices.pop(ident, None)
