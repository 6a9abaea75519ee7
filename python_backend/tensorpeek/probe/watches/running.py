"""The frames that are running now."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FrameType


def running_frames() -> Iterator[FrameType]:
    """Those of all threads, each thread's innermost first."""
    for innermost in list(sys._current_frames().values()):  # pyright: ignore[reportPrivateUsage]
        frame: FrameType | None = innermost
        while frame is not None:
            yield frame
            frame = frame.f_back


def callers_caller() -> FrameType:
    """The frame that has called the function that asks."""
    return sys._getframe(2)  # pyright: ignore[reportPrivateUsage]
