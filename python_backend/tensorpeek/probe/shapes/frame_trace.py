"""Traces a call from a paused frame, in a copy of the process where there can be one.

In the copy the user's code may print, count and draw as it likes, and may also run with data where it can't
without. Where a process can't be copied, as one that uses CUDA, the call is traced in place, on a copy of the
model without data, and never with data.
"""

from __future__ import annotations

import tempfile
from types import FrameType
from typing import Any, cast

from tensorpeek.contract.messages import ShapeTrace
from tensorpeek.probe.replay.copy_of_process import NoCopy, in_copy, obstacle
from tensorpeek.probe.shapes.explicit import traced
from tensorpeek.probe.shapes.fake_trace import said
from tensorpeek.probe.shapes.frame_call import NoCall, target_of
from tensorpeek.probe.shapes.time_limit import TooLong, limited

SECONDS = 30.0
MOST_BYTES = 64 << 20


class NoTrace(Exception):
    """Why there is none, in a sentence for the user."""


def trace_frame(frame: FrameType, expression: str) -> ShapeTrace:
    """In the thread of the frame. Raises NoTrace."""
    if obstacle(None):
        found = _in_place(frame, expression)
    else:
        try:
            found = in_copy(
                lambda: _in_copy(frame, expression),
                SECONDS,
                what="tracing the call",
                may_read=True,
                most_bytes=MOST_BYTES,
            )
        except NoCopy as why:
            raise NoTrace(str(why)) from None
    if "trace" not in found:
        raise NoTrace(found["why"])
    return cast(ShapeTrace, found["trace"])


def _in_copy(frame: FrameType, expression: str) -> dict[str, Any]:
    # What torch imports now asks for a folder that can be written to, which Python finds out by writing.
    tempfile.tempdir = tempfile.tempdir or "/tmp"
    return _found(frame, expression, may_run=True)


def _in_place(frame: FrameType, expression: str) -> dict[str, Any]:
    try:
        with limited(SECONDS):
            return _found(frame, expression, may_run=False)
    except TooLong:
        return {"why": f"tracing the call took longer than {SECONDS:.0f} s"}


def _found(frame: FrameType, expression: str, may_run: bool) -> dict[str, Any]:
    """`trace`, or `why` there is none."""
    entry = "the call"
    try:
        target = target_of(frame, expression)
        entry = target.entry
        trace = traced(target, may_run)
    except NoCall as why:
        return {"why": str(why)}
    except Exception as error:  # noqa: BLE001  a fault of ours ends as a sentence
        return {"why": f"{entry} could not be traced: {said(error)}"}
    if not any(file["expressions"] for file in trace["files"]) and not trace["modules"]:
        return {"why": trace["problem"] or f"nothing of {entry} is Python code of yours"}
    if trace["source"] == "fake":
        trace["source"] = "frame"
    return {"trace": trace}
