"""Shapes in a debug session: a trace from a paused frame, and that of the first step."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import FrameType
from typing import Any

from tensorpeek.contract.messages import FirstStepArguments, TraceFrameArguments, TraceResult
from tensorpeek.probe import pydevd_access, pydevd_breakpoints, pydevd_client, pydevd_stops
from tensorpeek.probe.feature import Command, Feature
from tensorpeek.probe.run_output import RUN_OUTPUT
from tensorpeek.probe.shapes.first_step import FIRST_STEP
from tensorpeek.probe.shapes.frame_trace import SECONDS, NoTrace, trace_frame
from tensorpeek.runs import shapes_file

PATIENCE = SECONDS + 10
"""Seconds; until the copy is made, and what it sends is read."""


class Shapes(Feature):
    def commands(self) -> Mapping[str, Command]:
        return {"traceShapes": self._trace, "firstStep": self._first_step}

    def release(self) -> None:
        FIRST_STEP.leave()

    def _first_step(self, arguments: FirstStepArguments) -> dict[str, Any]:
        FIRST_STEP.may_trace = pydevd_breakpoints.are_left_alone
        FIRST_STEP.is_evaluating = pydevd_stops.is_evaluating
        if arguments["isTraced"]:
            FIRST_STEP.wait()
        else:
            FIRST_STEP.leave()
        return {}

    def _trace(self, arguments: TraceFrameArguments) -> TraceResult:
        """In the stopped thread: the modes that the program has entered there hold for the call too."""
        if "torch.nn.modules.module" not in sys.modules:
            return _none("The program has not imported torch.")
        try:
            frame: Any = pydevd_access.find_value(arguments["frameId"])
            thread = pydevd_client.thread_id(0, arguments["frameId"])
            if not isinstance(frame, FrameType) or not thread:
                return _none("The program is not paused there.")
            expression = arguments["expression"]
            trace = pydevd_client.run_in(thread, lambda: trace_frame(frame, expression), PATIENCE)
            path = shapes_file.write(RUN_OUTPUT.path(), trace)
        except pydevd_access.Gone:
            return _none("The program is no longer paused there.")
        except (NoTrace, TimeoutError) as why:
            return _none(_sentence(str(why)))
        except OSError as problem:
            return _none(f"The shapes can't be written: {problem}")
        return {
            "path": str(path),
            "entry": trace["entry"],
            "expressions": sum(len(file["expressions"]) for file in trace["files"]),
            "problem": trace["problem"],
        }


def _none(problem: str) -> TraceResult:
    return {"path": "", "entry": "", "expressions": 0, "problem": problem}


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?", "!")) else ".")
