# pyright: reportMissingImports=false, reportUnknownMemberType=false, reportUnknownVariableType=false
"""Our code in the program is no business of the user's: no step ends in it, and no stack shows it."""

from __future__ import annotations

import os
from pathlib import Path

from tensorpeek.probe import pydevd_access

PACKAGE = Path(__file__).parents[1]
ROOMS = ("probe", "contract", "catalogue", "runs", "cli")
"""What lives in the user's program; whoever debugs the rest of TensorPeek sees it."""


def hide() -> None:
    """Makes our files a part of the debugger; called for each one that this process has, once or more."""
    from _pydevd_bundle.pydevd_api import PyDevdAPI

    debugger = pydevd_access.debugger()
    present = debugger.dont_trace_external_files
    starts: tuple[str, ...] = getattr(present, "start_patterns", ())
    ours = tuple(f"{PACKAGE / room}{os.sep}" for room in ROOMS)
    if not set(ours) <= set(starts):
        ends: tuple[str, ...] = getattr(present, "end_patterns", ())
        PyDevdAPI().set_dont_trace_start_end_patterns(debugger, (*starts, *ours), ends)
