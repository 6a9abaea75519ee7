# pyright: reportMissingImports=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportAttributeAccessIssue=false
"""Puts our line conditions and log messages in the place of pydevd's.

pydevd compiles the text anew at each hit, stops where it fails, and takes a hit count for an alternative to
the condition. It asks for the log message first and for the condition then; here the message waits for it.
"""

from __future__ import annotations

from typing import Any, Callable

from tensorpeek.probe.lines.line import Line
from tensorpeek.probe.lines.lines import Lines, place_text

MEMORY = "tensorpeek_line"
"""The attribute of a breakpoint of pydevd's that holds ours: path, place, and what it remembers."""


def problem() -> str:
    """Why this pydevd can't be used, empty when it can."""
    try:
        from _pydevd_bundle.pydevd_breakpoints import FunctionBreakpoint, LineBreakpoint
        from pydevd import PyDB
    except ImportError as error:
        return f"this debugpy is not the one TensorPeek knows: {error}"
    needed = (
        "handle_breakpoint_condition",
        "handle_breakpoint_expression",
        "dispose_and_kill_all_pydevd_threads",
    )
    missing = [name for name in needed if not hasattr(PyDB, name)]
    missing += [kind.__name__ for kind in (LineBreakpoint, FunctionBreakpoint) if hasattr(kind, "__slots__")]
    return f"this debugpy has another {', '.join(missing)}" if missing else ""


def take_over(lines: Lines) -> None:
    """From now on `lines` decides. Breakpoints of exceptions keep pydevd's log messages."""
    from pydevd import PyDB

    handle_expression = PyDB.handle_breakpoint_expression

    def handle_breakpoint_condition(debugger: Any, info: Any, breakpoint: Any, frame: Any) -> bool:
        path, place, line = getattr(breakpoint, MEMORY, None) or _remembered(lines, breakpoint, frame)
        if not lines.stops(line, frame):
            return False
        if getattr(breakpoint, "is_logpoint", False):
            info.pydev_message = None
            lines.log(line, frame, path, place)
        else:
            lines.announce(place_text(path, place))
        return True

    def handle_breakpoint_expression(debugger: Any, breakpoint: Any, info: Any, frame: Any) -> None:
        if not getattr(breakpoint, "is_logpoint", False):
            handle_expression(debugger, breakpoint, info, frame)
            return
        info.pydev_message = None
        if not breakpoint.has_condition:
            path, place, line = getattr(breakpoint, MEMORY, None) or _remembered(lines, breakpoint, frame)
            line.hits.begin()
            lines.log(line, frame, path, place)

    PyDB.handle_breakpoint_condition = handle_breakpoint_condition
    PyDB.handle_breakpoint_expression = handle_breakpoint_expression
    _prepare_each(lines)


def _prepare_each(lines: Lines) -> None:
    """Tells `lines` of each breakpoint when it is set, which may be long before its line is reached."""
    from _pydevd_bundle.pydevd_breakpoints import FunctionBreakpoint, LineBreakpoint

    def preparing(initialize: Callable[..., None]) -> Callable[..., None]:
        def initialize_and_prepare(breakpoint: Any, *arguments: Any, **options: Any) -> None:
            initialize(breakpoint, *arguments, **options)
            lines.prepare(breakpoint.condition or "", breakpoint.expression or "")

        return initialize_and_prepare

    for kind in (LineBreakpoint, FunctionBreakpoint):
        kind.__init__ = preparing(kind.__init__)


def before_the_end(callback: Callable[[], None]) -> None:
    """Calls back when pydevd leaves and can still send; functions of atexit come too late for that."""
    from pydevd import PyDB

    dispose = PyDB.dispose_and_kill_all_pydevd_threads

    def tell_and_dispose(debugger: Any, *arguments: Any, **options: Any) -> Any:
        if not debugger.pydb_disposed:
            callback()
        return dispose(debugger, *arguments, **options)

    PyDB.dispose_and_kill_all_pydevd_threads = tell_and_dispose


def _remembered(lines: Lines, breakpoint: Any, frame: Any) -> tuple[str, object, Line]:
    """pydevd makes new breakpoints whenever one of the file is changed; what they remember stays."""
    place = getattr(breakpoint, "line", None)
    if place is None:
        path, place = "", getattr(breakpoint, "func_name", None) or getattr(breakpoint, "qname", "?")
    else:
        path = frame.f_code.co_filename
    texts = (breakpoint.condition, getattr(breakpoint, "hit_condition", None), breakpoint.expression)
    line = lines.line(path, place, *(text or "" for text in texts))
    memory = (path, place, line)
    setattr(breakpoint, MEMORY, memory)
    return memory
