# pyright: reportMissingImports=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportAttributeAccessIssue=false
"""Whether the user may be about to stop or step in a function."""

from __future__ import annotations

from collections.abc import Iterable
from types import CodeType
from typing import Any

from tensorpeek.probe import pydevd_access
from tensorpeek.probe.pydevd_tracing import is_busy, pydevds_info
from tensorpeek.probe.training.places import last_line


def are_left_alone(codes: Iterable[CodeType]) -> bool:
    """Whether this thread runs freely, and no breakpoint lies in the codes."""
    debugger: Any = pydevd_access.debugger()
    info = pydevds_info()
    if debugger is None or (info is not None and is_busy(info)):
        return False
    lines: dict[str, Any] = debugger.breakpoints
    names: Any = debugger.function_breakpoint_name_to_breakpoint
    if not names and not any(lines.values()):
        return True
    from pydevd_file_utils import get_abs_path_real_path_and_base_from_file

    for code in codes:
        if code.co_name in names:
            return False
        of_file = lines.get(get_abs_path_real_path_and_base_from_file(code.co_filename)[1])
        if of_file and any(code.co_firstlineno <= line <= last_line(code) for line in list(of_file)):
            return False
    return True
