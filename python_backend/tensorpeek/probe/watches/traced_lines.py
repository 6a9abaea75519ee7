"""Tells of the user's lines by trace functions, up to Python 3.11, together with pydevd's."""

from __future__ import annotations

from types import FrameType
from typing import Any, Callable, Optional

from tensorpeek.probe import pydevd_begun_frames
from tensorpeek.probe.training.places import is_users_code
from tensorpeek.probe.watches.running import running_frames
from tensorpeek.probe.watches.watches import Watches

Trace = Callable[[FrameType, str, Any], Any]


class FrameTrace:
    """The trace function of one frame of the user's: first ours, then pydevd's."""

    __slots__ = ("is_in_pydevd", "line", "lines", "pydevds")

    def __init__(self, lines: TracedLines, line: int) -> None:
        self.lines = lines
        self.line = line
        """That runs now."""
        self.is_in_pydevd = False
        self.pydevds: Optional[Trace] = None  # noqa: UP045 (evaluated on 3.9)

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            self.passed(frame)
        elif event == "return":
            self.lines.watches.ran(frame, self.line or frame.f_lineno)
            self.lines.ended(frame)
        if frame.f_trace is not self:  # pydevd has asked for the frame, in a stop of ours perhaps
            self.pydevds = self.lines.pydevds
        pydevds = self.pydevds
        if pydevds is not None:
            self.is_in_pydevd = True
            try:
                result = pydevds(frame, event, argument)
            finally:
                self.is_in_pydevd = False
            if self.pydevds is pydevds:  # else pydevd has left the frame to us
                self.pydevds = result or pydevds
        return self

    def passed(self, frame: FrameType) -> None:
        """The frame is about to run a line."""
        line, self.line = self.line, frame.f_lineno or 0
        self.lines.watches.ran(frame, line or self.line)


class TracedLines:
    """`dispatch` is the trace function of all threads while there is a watch."""

    def __init__(self, watches: Watches, switch: Callable[[Any], Trace | None]) -> None:
        self.watches = watches
        self._switch = switch
        """Gives us, or None, to whoever has the program's trace function; returns pydevd's, if it could."""
        self.pydevds: Trace | None = None
        self._traces: dict[int, FrameTrace] = {}
        """By frame; of those that have not returned."""

    def start(self) -> bool:
        if not self._traces:
            for frame in running_frames():
                if is_users_code(frame.f_code):
                    self._traces[id(frame)] = FrameTrace(self, frame.f_lineno or 0)
            pydevd_begun_frames.follow(self._passed, self._left_by_pydevd)
        self.pydevds = self._switch(self.dispatch)
        return self.pydevds is not None

    def stop(self) -> None:
        self._switch(None)
        pydevd_begun_frames.unfollow()
        self._traces = {}

    def ended(self, frame: FrameType) -> None:
        self._traces.pop(id(frame), None)
        self.watches.left(frame)

    def _passed(self, frame: FrameType) -> None:
        trace = self._traces.get(id(frame))
        if trace is not None:
            trace.passed(frame)

    def _left_by_pydevd(self, frame: FrameType, event: str, argument: Any) -> Any:
        trace = self._traces.get(id(frame))
        if trace is None:
            frame.f_trace = None
            return None
        trace.pydevds = None
        return None if trace.is_in_pydevd else trace(frame, event, argument)

    def dispatch(self, frame: FrameType, event: str, argument: Any, pydevds: Trace) -> Any:
        """A call, or a line of a frame that pydevd wants to trace from here on."""
        if not is_users_code(frame.f_code):
            return pydevds(frame, event, argument)
        if event == "call":
            caller = frame.f_back
            if caller is not None and is_users_code(caller.f_code):
                self.watches.ran(caller, caller.f_lineno or 0)
            self.watches.entered(frame)
            trace = self._traces[id(frame)] = FrameTrace(self, 0)
            trace.pydevds = pydevds(frame, event, argument)
            return trace
        trace = self._traces.get(id(frame))
        if trace is None:
            trace = self._traces[id(frame)] = FrameTrace(self, 0)
        trace.pydevds = pydevds
        return trace(frame, event, argument)
