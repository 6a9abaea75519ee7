# pyright: reportMissingImports=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportAttributeAccessIssue=false
"""The lines of a frame in which pydevd's trace function is at work already, as in one that is paused.

When it returns, Python makes its result the frame's trace function, whatever we have put there meanwhile.
So pydevd goes on to trace that frame, and we hear of each line from an attribute that it reads first of all.
Once it has no more use for the frame it hands it to a function that stops the tracing, and that is ours.
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any, Callable

Trace = Callable[[FrameType, str, Any], Any]

READ_FIRST = "pydb_disposed"
LEFT_TO = "NO_FTRACE"
MODULES = ("pydevd_cython", "pydevd_frame", "pydevd_trace_dispatch_regular")
"""pydevd has its trace functions twice, compiled and not."""
ITSELF = tuple(f"{name}.py" for name in MODULES)
"""Where it is not compiled it has frames of its own."""


def follow(hear: Callable[[FrameType], None], leave_to: Trace) -> None:
    """`hear` is called at each event of a frame that pydevd traces; `leave_to` gets the frame afterwards."""
    from pydevd import PyDB

    def read(debugger: Any) -> Any:
        frame: FrameType | None = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
        while frame is not None and frame.f_code.co_filename.endswith(ITSELF):
            frame = frame.f_back
        if frame is not None:
            hear(frame)
        return vars(debugger)[READ_FIRST]

    def write(debugger: Any, value: Any) -> None:
        vars(debugger)[READ_FIRST] = value

    setattr(PyDB, READ_FIRST, property(read, write))
    _leave_to(leave_to)


def unfollow() -> None:
    from _pydevd_bundle.pydevd_constants import NO_FTRACE
    from pydevd import PyDB

    if READ_FIRST in vars(PyDB):
        delattr(PyDB, READ_FIRST)
    _leave_to(NO_FTRACE)


def _leave_to(trace: Trace) -> None:
    for name in MODULES:
        module = sys.modules.get(f"_pydevd_bundle.{name}")
        if module is not None:
            setattr(module, LEFT_TO, trace)
