"""All watched variables, and the check after each line of the user's code."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from types import FrameType
from typing import Any, Callable, Protocol

from tensorpeek.contract.messages import CheckedBreakpoint, WatchInfo
from tensorpeek.contract.messages import Watch as Given
from tensorpeek.probe import raw
from tensorpeek.probe.stops.stop import Stop, stop_at
from tensorpeek.probe.titles import LONGEST_TITLE
from tensorpeek.probe.training.training import TRAINING
from tensorpeek.probe.watches.names import Name, find_name
from tensorpeek.probe.watches.running import running_frames
from tensorpeek.probe.watches.watch import TENSOR, Change, Watch

COST = "checked after each of your lines, about as slow as a line breakpoint"


class LineEvents(Protocol):
    """What tells of the lines of the user's code."""

    def start(self) -> bool:
        """Whether it can."""
        ...

    def stop(self) -> None: ...


class Watches:
    def __init__(self, report: Callable[[str], None]) -> None:
        self._report = report
        self._offered: dict[str, Name] = {}
        """What the client was told could be watched, during this pause."""
        self._watches: dict[str, Watch] = {}
        self._events: LineEvents | None = None
        self._number = 0
        self._stopping = threading.local()

    def use(self, events: LineEvents) -> None:
        self._events = events

    def info(self, container: Any, name: str) -> WatchInfo:
        """Whether a variable can be watched; asked at each right click."""
        found = find_name(container, name)
        if self._events is None or found is None:
            return {
                "dataId": "",
                "description": f"{name} is computed, and has no place that could be watched.",
            }
        self._number += 1
        identity = f"tensorpeek {self._number}"
        self._offered[identity] = found
        value = found.read(container) if isinstance(container, FrameType) else raw.attribute(container, name)
        what = "written or replaced" if raw.is_a(type(value), TENSOR) else "replaced"
        return {"dataId": identity, "description": f"{found.text} {what} ({COST})"}

    def set(self, given: Sequence[Given]) -> list[CheckedBreakpoint]:
        """Takes the place of what was set before."""
        before, self._watches = self._watches, {}
        answers = [self._add(each, before) for each in given]
        self._offered = {}
        self.begin()
        if self._events is not None:
            if self._watches and not self._events.start():
                self._watches = {}
                return [refused("Lines can't be watched in this Python.") for _ in given]
            if not self._watches:
                self._events.stop()
        return answers

    def _add(self, given: Given, before: dict[str, Watch]) -> CheckedBreakpoint:
        identity = given["dataId"]
        watch = before.get(identity)
        if watch is None:
            name = self._offered.get(identity)
            if name is None:
                return refused("The variable belonged to a pause that is over.")
            watch = Watch(name)
        watch.condition(given, self._report)
        self._watches[identity] = watch
        return {"verified": True, "message": f"Stops after the line that changes it: {COST}."}

    def begin(self) -> None:
        """While the program is paused, the user may change what is watched: no line has done that."""
        self._offered = {}
        for frame in running_frames() if self._watches else ():
            for watch in self._watches.values():
                watch.begin(frame)

    # What the line events tell

    def entered(self, frame: FrameType) -> None:
        for watch in list(self._watches.values()):
            watch.entered(frame)

    def left(self, frame: FrameType) -> None:
        for watch in list(self._watches.values()):
            watch.name.left(frame)

    def ran(self, frame: FrameType, line: int) -> None:
        """A line of the user's has run, and what it called."""
        if getattr(self._stopping, "now", False):
            return
        for watch in list(self._watches.values()):
            change = watch.change(frame)
            if change is not None and not TRAINING.is_evaluating():
                self._stop(watch, change, frame, line)

    def _stop(self, watch: Watch, change: Change, frame: FrameType, line: int) -> None:
        self._stopping.now = True
        try:
            if not watch.holds(change.value, frame):
                return
            message = f"{change.text} in line {line}.\nbefore: {change.before}\nafter: {change.after}"
            values = {watch.name.text: change.value, "before": change.before, "after": change.after}
            title = change.text if len(change.text) <= LONGEST_TITLE else f"{watch.name.text} changed"
            stop = Stop(title, message, "data breakpoint", scope="Change", values=values, line=line)
            stop_at(frame, stop)
        finally:
            self._stopping.now = False


def refused(message: str) -> CheckedBreakpoint:
    return {"verified": False, "message": message}
