"""Tells of the user's lines by sys.monitoring, from Python 3.12 on; library code soon costs nothing."""

from __future__ import annotations

import sys
from types import CodeType
from typing import Any

from tensorpeek.probe.training.places import is_users_code
from tensorpeek.probe.watches.running import callers_caller, running_frames
from tensorpeek.probe.watches.watches import Watches

TOOLS = (4, 3)
"""Numbers that no tool of Python's own has."""
NAME = "tensorpeek"


class MonitoredLines:
    def __init__(self, watches: Watches) -> None:
        self._watches = watches
        self._monitoring: Any = getattr(sys, "monitoring", None)
        self._tool = -1
        self._lines: dict[int, int] = {}
        """By frame, the line that runs."""

    def start(self) -> bool:
        if self._tool < 0:
            free = (tool for tool in TOOLS if self._monitoring.get_tool(tool) is None)
            self._tool = next(free, -1)
            if self._tool < 0:
                return False
            self._monitoring.use_tool_id(self._tool, NAME)
            events = self._monitoring.events
            for event, callback in (
                (events.PY_START, self._started),
                (events.LINE, self._line),
                (events.PY_RETURN, self._returned),
            ):
                self._monitoring.register_callback(self._tool, event, callback)
            self._monitoring.set_events(self._tool, events.PY_START | events.LINE | events.PY_RETURN)
            self._note_lines()
        return True

    def stop(self) -> None:
        if self._tool >= 0:
            self._monitoring.set_events(self._tool, 0)
            self._monitoring.free_tool_id(self._tool)
            self._tool = -1
            self._lines = {}

    def _note_lines(self) -> None:
        self._lines = {id(frame): frame.f_lineno or 0 for frame in running_frames()}

    def _started(self, code: CodeType, offset: int) -> Any:
        if not is_users_code(code):
            return self._monitoring.DISABLE
        frame = callers_caller()
        self._lines.pop(id(frame), None)
        if frame.f_back is not None:
            self._watches.ran(frame.f_back, frame.f_back.f_lineno or 0)
        self._watches.entered(frame)
        return None

    def _line(self, code: CodeType, line: int) -> Any:
        if not is_users_code(code):
            return self._monitoring.DISABLE
        frame = callers_caller()
        before = self._lines.get(id(frame))
        self._lines[id(frame)] = line
        self._watches.ran(frame, before or line)
        return None

    def _returned(self, code: CodeType, offset: int, value: object) -> Any:
        if not is_users_code(code):
            return self._monitoring.DISABLE
        frame = callers_caller()
        self._watches.ran(frame, self._lines.pop(id(frame), frame.f_lineno))
        self._watches.left(frame)
        return None
