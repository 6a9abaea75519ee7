"""What the view Model of an editor shows: the modules of a trace, with their lines in the present text."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tensorpeek.contract.messages import ModelMap, ShapeTrace, TracedModule
from tensorpeek.runs.module_table import module_table
from tensorpeek.server.shapes.alignment import Alignment

END_OF_LINE = 1_000_000
"""A column behind every text."""


@dataclass(frozen=True)
class Present:
    """A file that is open."""

    text: str
    alignment: Alignment | None
    """Of the traced text with this one; None where the trace has nothing of it."""


def model_map(trace: ShapeTrace, present: Mapping[str, Present]) -> ModelMap:
    """`present`: by path."""
    files = _Files(present)
    return {
        "entry": trace["entry"],
        "time": trace["time"],
        "symbols": trace["symbols"],
        "modules": [_moved(module, files) for module in trace["modules"]],
        "problem": trace["problem"],
        "changed": [file["path"] for file in trace["files"] if files.is_changed(file["path"], file["text"])],
        "table": _table(trace),
    }


class _Files:
    """Traced files as they are now, in the editor or else on disk."""

    def __init__(self, present: Mapping[str, Present]) -> None:
        self._present = {_normal(path): each for path, each in present.items()}
        self._normal: dict[str, str] = {}
        """By path: a model has few files and many modules."""

    def line(self, path: str, line: int) -> int:
        """Where a traced line is now; one that is gone keeps its number, which is near."""
        found = self._find(path) if line > 0 else None
        if found is None or found.alignment is None:
            return line
        placed = found.alignment.at((line, END_OF_LINE))
        return placed.moved((line, 0))[0] if placed is not None else line

    def is_changed(self, path: str, text: str) -> bool:
        found = self._find(path)
        try:
            now = found.text if found is not None else Path(path).read_text("utf-8", errors="replace")
        except OSError:
            return True
        return now.splitlines() != text.splitlines()

    def _find(self, path: str) -> Present | None:
        if path not in self._normal:
            self._normal[path] = _normal(path)
        return self._present.get(self._normal[path])


def _moved(module: TracedModule, files: _Files) -> TracedModule:
    moved = module.copy()
    moved["callLine"] = files.line(module["callPath"], module["callLine"])
    moved["line"] = files.line(module["file"], module["line"])
    return moved


def _table(trace: ShapeTrace) -> str:
    heads = [trace["entry"]]
    heads += [f"  {symbol['name']} = {symbol['size']}  {symbol['origin']}" for symbol in trace["symbols"]]
    heads += [f"  {trace['problem']}"] if trace["problem"] else []
    return "\n".join([*heads, "", *(line.text for line in module_table(trace["modules"]))])


def _normal(path: str) -> str:
    return os.path.normcase(os.path.realpath(path)) if path else path
