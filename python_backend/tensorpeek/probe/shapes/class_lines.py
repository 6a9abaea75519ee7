"""Where a class is defined."""

from __future__ import annotations

import linecache
import re
import sys
from types import FunctionType


def line_of(kind: type) -> tuple[str, int]:
    """File and line of `class …`, the last one above its first method; 0 where it isn't found.

    `inspect.getsourcelines` parses the whole file each time, which takes a second for the blocks of a model.
    """
    path = getattr(sys.modules.get(kind.__module__), "__file__", None)
    if not isinstance(path, str):
        return "", 0
    lines = linecache.getlines(path)
    firsts = [
        member.__code__.co_firstlineno
        for member in list(kind.__dict__.values())
        if isinstance(member, FunctionType) and member.__code__.co_filename == path
    ]
    statement = re.compile(rf"\s*class\s+{re.escape(kind.__name__)}\b")
    for line in range(min([*firsts, len(lines)]), 0, -1):
        if statement.match(lines[line - 1]):
            return path, line
    return path, 0
