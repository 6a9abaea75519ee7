"""Every breakpoint with a condition, hit count or log message: what it remembers, what the user is told."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any, Callable

from tensorpeek.catalogue.line_condition import TP, ConditionProblem, calls, parse
from tensorpeek.probe.lines import clock
from tensorpeek.probe.lines.hits import Reason
from tensorpeek.probe.lines.line import Line
from tensorpeek.probe.lines.throttle import Throttle
from tensorpeek.probe.lines.tp import CLOCKED

Key = tuple[str, object]
Say = Callable[[str, str], None]
"""Shows a text in the Debug Console, under `console`, `stdout` or `stderr`."""
Log = Callable[[str, str], None]
"""Writes a text with its level into the training log."""


class Lines:
    """One per process."""

    def __init__(self, say: Say, log: Log) -> None:
        self._say = say
        self._log = log
        self._lines: dict[Key, Line] = {}
        self._throttles: dict[Key, Throttle] = {}
        self._reasons: dict[int, Reason] = {}

    def prepare(self, *texts: str) -> None:
        """A breakpoint with these texts is set: steps are counted from now on where one of them asks."""
        if any(is_clocked(text) for text in texts):
            clock.run()

    def line(self, path: str, place: object, condition: str, hit_condition: str, message: str) -> Line:
        """What the breakpoint remembers. Set again with the same texts it goes on as if nothing had happened.

        `place` is the line's number, or what stands for it.
        """
        key = (path, place)
        known = self._lines.get(key)
        if known is None or known.texts != (condition, hit_condition, message):
            where = place_text(path, place)
            known = Line(condition, hit_condition, message, lambda text: self._fail(f"{where}: {text}"))
            self._lines[key] = known
            self._throttles[key] = Throttle()
        return known

    def stops(self, line: Line, frame: Any) -> bool:
        """Whether to stop at a line that was reached. Never raises."""
        thread = threading.get_ident()
        self._reasons.pop(thread, None)
        if not line.holds(frame):
            return False
        if line.uses_tp:
            reason = line.hits.reason()
            if reason is not None:
                self._reasons[thread] = reason
        return True

    def announce(self, where: str) -> None:
        """The program stops in this thread: says why, where one of our functions decided it."""
        reason = self._reasons.get(threading.get_ident())
        if reason is not None:
            self._say(f"{where}: {reason[1]}\n", "console")

    def reason_of(self, thread: int) -> Reason | None:
        """Why that thread stops at a line, asked once per stop."""
        return self._reasons.pop(thread, None)

    def log(self, line: Line, frame: Any, path: str, place: object) -> None:
        """Shows the line's log message. Never raises."""
        text = line.text(frame)
        throttle = self._throttles.get((path, place))
        if text is None or throttle is None:
            return
        shown = throttle.passed(text, time.monotonic())
        if shown is not None:
            self._show(shown, place_text(path, place))

    def end(self) -> None:
        """The program ends: the last message of each line is shown in any case."""
        for (path, place), throttle in list(self._throttles.items()):
            shown = throttle.rest()
            if shown is not None:
                self._show(shown, place_text(path, place))

    def _show(self, text: str, where: str) -> None:
        self._say(f"{text}\n", "stdout")
        self._log(f"{where}: {text}", "INFO")

    def _fail(self, text: str) -> None:
        self._say(f"{text}\n", "stderr")
        self._log(text, "ERROR")


def is_clocked(text: str) -> bool:
    """Whether the text asks for steps or epochs."""
    try:
        return any(call.info.name in CLOCKED for call in calls(parse(text))) if TP in text else False
    except ConditionProblem:
        return False


def place_text(path: str, place: object) -> str:
    """As in `train.py:28`."""
    return f"{Path(path).name}:{place}" if isinstance(place, int) else str(place)
