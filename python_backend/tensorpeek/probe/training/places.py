"""Which lines are the user's, and where in them the program is."""
# Code objects name files by text, and this runs for every frame that is looked at: no Path.
# ruff: noqa: PTH100, PTH114, PTH118, PTH120

from __future__ import annotations

import dis
import os
import sys
import sysconfig
from types import CodeType, FrameType
from typing import NamedTuple

_FOREIGN = tuple(
    {
        os.path.join(os.path.realpath(path), "")
        for name in ("stdlib", "platstdlib", "purelib", "platlib")
        for path in [sysconfig.get_path(name)]
        if path
    }
    | {
        os.path.join(path, "")
        for path in [os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))]
    }
)
"""Folders of the standard library, of installed packages, and of TensorPeek."""

_is_users: dict[str, bool] = {}
_real_folders: dict[str, str] = {}


class Place(NamedTuple):
    """A line of a file; `function` is the name of the code that it is in."""

    path: str
    line: int
    function: str = ""


def is_users_file(path: str) -> bool:
    """Whether a file of code belongs to the user: no library, no debugger, nothing generated."""
    known = _is_users.get(path)
    if known is None:
        whole = os.path.realpath(path) if os.path.islink(path) else _in_real_folder(path)
        known = not path.startswith("<") and not whole.startswith(_FOREIGN) and "site-packages" not in whole
        known = known and os.path.sep + "pydevd" not in whole and "debugpy" not in whole
        _is_users[path] = known
    return known


def _in_real_folder(path: str) -> str:
    """Folders are asked once: a trace asks for a thousand files."""
    folder, name = os.path.split(path)
    known = _real_folders.get(folder)
    if known is None:
        known = _real_folders[folder] = os.path.realpath(folder)
    return os.path.join(known, name)


def is_users_code(code: CodeType) -> bool:
    return is_users_file(code.co_filename)


def user_frame(frame: FrameType | None = None) -> FrameType | None:
    """The nearest frame of the user's from this one up, by default from the caller."""
    frame = sys._getframe(1) if frame is None else frame  # pyright: ignore[reportPrivateUsage]
    known = _is_users
    while frame is not None:
        path = frame.f_code.co_filename
        if known[path] if path in known else is_users_file(path):
            return frame
        frame = frame.f_back
    return None


_lines: dict[tuple[int, int], tuple[CodeType, int]] = {}
"""By the code's address and the instruction; the code is kept, so that its address stays its own."""


def line_in(frame: FrameType) -> int:
    """The line that a frame is in: Python counts up to it each time."""
    code = frame.f_code
    key = (id(code), frame.f_lasti)
    known = _lines.get(key)
    if known is None:
        known = _lines[key] = code, frame.f_lineno or 0
    return known[1]


def line_at(code: CodeType, instruction: int) -> int:
    """The line of an instruction; 0 where it has none."""
    if hasattr(code, "co_lines"):
        for start, end, line in code.co_lines():
            if start <= instruction < end and line is not None:
                return line
        return 0
    return max((line for start, line in dis.findlinestarts(code) if start <= instruction), default=0)


def last_line(code: CodeType) -> int:
    """Of a function, what is defined in it included."""
    own = max((line for _, line in dis.findlinestarts(code) if line), default=code.co_firstlineno)
    inner = (last_line(constant) for constant in code.co_consts if type(constant) is CodeType)
    return max(own, *inner, 0)


def place_of(frame: FrameType | None) -> Place | None:
    if frame is None:
        return None
    return Place(frame.f_code.co_filename, frame.f_lineno or 0, frame.f_code.co_name)


def here() -> Place | None:
    """The user's line that is being executed."""
    return place_of(user_frame(sys._getframe(1)))  # pyright: ignore[reportPrivateUsage]
