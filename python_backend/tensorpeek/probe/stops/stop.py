"""Stops this thread in a frame of the user's, with a reason in our words and values to look at."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from tensorpeek.contract.messages import Finding, StopInfo
from tensorpeek.probe import pydevd_client, pydevd_stops
from tensorpeek.probe.presentation import Group
from tensorpeek.probe.pydevd_stops import Notice
from tensorpeek.probe.stops.rows import rows
from tensorpeek.probe.training.places import user_frame


@dataclass
class Stop:
    title: str
    """For the header of the call stack; at most 31 characters are seen."""
    message: str = ""
    reason: str = "exception"
    """One of DAP's: `exception` opens the widget with the cause; also `data breakpoint` and the like."""
    finding: Finding | None = None
    scope: str = "Finding"
    """The name of the scope with the values."""
    values: dict[str, Any] = field(default_factory=dict)
    line: int = 0
    """The line to be shown, where that is not the frame's present one; 0 for that."""

    @property
    def notice(self) -> Notice:
        return Notice(self.reason, self.title, self.message or self.title)


_stopped: dict[str, Stop] = {}
"""By pydevd's name of the thread; for as long as it is stopped."""


def of_finding(finding: Finding, values: dict[str, Any]) -> Stop:
    return Stop(finding["title"], finding["message"], finding=finding, values=values)


def stop_at(frame: FrameType | None, stop: Stop) -> bool:
    """Stops until the user goes on; returns whether it could. None is for the nearest frame of the user's.

    Raises KeyboardInterrupt when Ctrl+C ends the wait.
    """
    shown = frame_of_this_thread(frame)
    if shown is None or not pydevd_stops.can_stop():
        return False
    with shown_as(stop):
        pydevd_stops.stop(shown, stop.notice, stop.line)
    return True


@contextmanager
def shown_as(stop: Stop) -> Generator[None]:
    """Answers what is asked about the stop meanwhile."""
    thread = pydevd_client.current_thread_id()
    _stopped[thread] = stop
    try:
        yield
    finally:
        del _stopped[thread]


def frame_of_this_thread(frame: FrameType | None) -> FrameType | None:
    """The frame, if this thread is in it, else the nearest of the user's, else the outermost.

    A backward pass on a device runs in threads of torch's own, which can't step in the frame that waits.
    """
    above: FrameType | None = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    outermost = above
    while above is not None and above is not frame:
        outermost, above = above, above.f_back
    return above or user_frame() or outermost


def stopped_threads() -> list[str]:
    """Those that we have stopped, by pydevd's names."""
    return list(_stopped)


def current() -> Stop | None:
    """Of this thread, which evaluates something while it is stopped."""
    return _stopped.get(pydevd_client.current_thread_id())


def stop_info(thread: int, frame: int) -> StopInfo:
    """Why a thread is stopped that the client names, by itself or by one of its frames; 0 is for not said."""
    name = pydevd_client.thread_id(thread, frame)
    stop = _stopped.get(name)
    if stop is None:
        return {"finding": None, "scope": "", "values": 0}
    group = Group("", lambda: rows(stop.finding, stop.values))
    return {
        "finding": stop.finding,
        "scope": stop.scope,
        "values": pydevd_client.reference_of(name, stop.scope, group),
    }
