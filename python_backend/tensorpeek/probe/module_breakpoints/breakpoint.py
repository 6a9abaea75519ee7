"""One breakpoint on modules: which it means, and when it stops."""

from __future__ import annotations

from fnmatch import fnmatchcase
from types import FrameType, SimpleNamespace
from typing import Any, Callable

from tensorpeek.contract.messages import ModuleBreakpoint
from tensorpeek.probe.hit_counts import hit_condition
from tensorpeek.probe.lines.line import Line


class Breakpoint:
    """Remembers its hits; set again with the same texts it is the same one."""

    def __init__(self, given: ModuleBreakpoint, report: Callable[[str], None]) -> None:
        self.given = given
        self.is_backward = given["phase"] == "backward"
        self._line = Line(given["condition"], hit_condition(given["hitCondition"]), "", self._told(report))

    def _told(self, report: Callable[[str], None]) -> Callable[[str], None]:
        return lambda text: report(f"{self}: {text}")

    def __str__(self) -> str:
        return f"module:{self.given['pattern']}{' backward' if self.is_backward else ''}"

    def means(self, path: str, module: Any) -> bool:
        """A pattern is of the path in the model, or the name of the class."""
        pattern = self.given["pattern"]
        return pattern == type(module).__name__ or (bool(path) and fnmatchcase(path, pattern))

    def holds(self, names: dict[str, Any], frame: FrameType | None) -> bool:
        """Whether to stop, with these names for the condition beside the global ones of the frame."""
        globals_of_frame = {} if frame is None else frame.f_globals
        return self._line.holds(SimpleNamespace(f_globals=globals_of_frame, f_locals=names))
