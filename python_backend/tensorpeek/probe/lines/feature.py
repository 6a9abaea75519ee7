"""Line conditions in a debug session."""

from __future__ import annotations

import sys

from tensorpeek.probe import pydevd_client, pydevd_lines, pydevd_stops
from tensorpeek.probe.feature import Feature
from tensorpeek.probe.lines.lines import Lines
from tensorpeek.probe.run_output import RUN_OUTPUT


class LineConditions(Feature):
    """Once registered it works for every breakpoint, whenever it is set."""

    def register(self) -> None:
        if pydevd_lines.problem():
            return
        lines = Lines(say, log)
        pydevd_lines.take_over(lines)
        pydevd_stops.describe_breakpoints_by(lines.reason_of)
        pydevd_lines.before_the_end(lines.end)


def say(text: str, category: str) -> None:
    pydevd_client.send_event("output", {"category": category, "output": text})


def log(text: str, level: str) -> None:
    """Into the run folder of a training; a program without torch has none."""
    if "torch" in sys.modules:
        RUN_OUTPUT.log(text, level)
