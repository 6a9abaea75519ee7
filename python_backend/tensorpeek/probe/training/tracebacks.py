"""The user's frames that an exception went through."""

from __future__ import annotations

from types import FrameType, TracebackType

from tensorpeek.probe.training.places import Place, is_users_code


def users_frames(traceback: TracebackType | None) -> list[tuple[FrameType, Place]]:
    """The innermost last, each with its place at that time: the frame's own line may have gone on since."""
    found: list[tuple[FrameType, Place]] = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if is_users_code(code):
            found.append((traceback.tb_frame, Place(code.co_filename, traceback.tb_lineno, code.co_name)))
        traceback = traceback.tb_next
    return found
