"""The newest trace of each file, read from the run folders of the workspace."""

from __future__ import annotations

import ast
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tensorpeek.contract.messages import ShapeTrace, ShapeValue, TracedExpression, TracedFile, TracedName
from tensorpeek.runs import shapes_file
from tensorpeek.runs.folder import RUNS, newest_first
from tensorpeek.server.shapes.statements import Place, Statement, statements
from tensorpeek.server.source import Source

SHAPES_FILES = "**/.tensorpeek/runs/*/shapes.json"
MOST_TRACES = 20
"""Of one workspace folder, the newest first."""
SpanKey = tuple[int, int, int, int]


@dataclass(frozen=True)
class Label:
    """A hint before it has its place in the present text."""

    statement: int
    """Its number among the traced ones."""
    after: Place
    text: str
    span: SpanKey


@dataclass
class Shown:
    """One traced file, with what is looked up in it again and again."""

    trace: ShapeTrace
    file: TracedFile
    expressions: dict[SpanKey, TracedExpression] = field(init=False)
    names: dict[SpanKey, TracedName] = field(init=False)
    statements: list[Statement] = field(init=False)
    labels: dict[str, list[Label]] = field(init=False)
    """Of the hints, by setting: no edit changes them."""

    def __post_init__(self) -> None:
        self.statements = statements(Source(self.file["text"])) or []
        self.labels = {}
        self.expressions = {span_key(each): each for each in self.file["expressions"]}
        self.names = {span_key(each): each for each in self.file["names"]}


class Store:
    """What was traced, until something newer was."""

    def __init__(self) -> None:
        self._files: dict[str, Shown] = {}
        self.newest: ShapeTrace | None = None
        self._read: dict[str, tuple[tuple[int, int], ShapeTrace | None]] = {}

    def read(self, folders: Sequence[Path]) -> None:
        traces = [trace for folder in folders for trace in self._newest(folder / RUNS)]
        traces.sort(key=lambda trace: trace["time"], reverse=True)
        self.newest = traces[0] if traces else None
        of_files: dict[str, list[tuple[ShapeTrace, TracedFile]]] = {}
        for trace in traces:
            for file in trace["files"]:
                of_files.setdefault(_normal(file["path"]), []).append((trace, file))
        before, self._files = self._files, {}
        for path, found in of_files.items():
            trace, file = _best(found)
            old = before.get(path)
            same = old is not None and old.file is file
            self._files[path] = old if same and old is not None else Shown(trace, file)

    def get(self, path: str) -> Shown | None:
        return self._files.get(_normal(path)) if self._files else None

    def _newest(self, runs: Path) -> list[ShapeTrace]:
        """A file that is as it was is not read again."""
        traces: list[ShapeTrace] = []
        for folder in newest_first(runs)[: shapes_file.MOST_RUNS]:
            try:
                status = (folder / shapes_file.NAME).stat()
            except OSError:
                continue
            version = status.st_mtime_ns, status.st_size
            known = self._read.get(str(folder))
            if known is None or known[0] != version:
                known = version, shapes_file.read(folder)
                self._read[str(folder)] = known
            if known[1] is not None:
                traces.append(known[1])
                if len(traces) == MOST_TRACES:
                    break
        return traces


def _best(found: Sequence[tuple[ShapeTrace, TracedFile]]) -> tuple[ShapeTrace, TracedFile]:
    """The newest; instead of the numbers of a run, dimensions with names that say the same and no less."""
    newest = found[0]
    if newest[0]["source"] != "step":
        return newest
    for trace, file in found[1:]:
        if trace["symbols"] and file["text"] == newest[1]["text"] and _says_the_same(newest[1], file):
            return trace, file
    return newest


def _says_the_same(numbers: TracedFile, names: TracedFile) -> bool:
    """Whether all that one has is in the other, of the same shapes but for dimensions with names."""
    for of, other in (
        (numbers["expressions"], names["expressions"]),
        (numbers["names"], names["names"]),
    ):
        known = {span_key(each): each["values"] for each in other}
        for each in of:
            values = known.get(span_key(each))
            if values is None or len(values) != len(each["values"]):
                return False
            if not all(map(_may_be, each["values"], values)):
                return False
    return True


def _may_be(value: ShapeValue, named: ShapeValue) -> bool:
    if value["kind"] != named["kind"] or len(value["dims"]) != len(named["dims"]):
        return False
    if len(value["items"]) != len(named["items"]):
        return False
    dims = zip(value["dims"], named["dims"], strict=True)
    return all(not name.isdigit() or dim == name for dim, name in dims) and all(
        _may_be(item["value"], other["value"])
        for item, other in zip(value["items"], named["items"], strict=True)
    )


def span_of(node: ast.expr | ast.arg) -> SpanKey:
    """Of a node of the traced text."""
    return node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0


def span_key(of: TracedExpression | TracedName) -> SpanKey:
    return of["line"], of["column"], of["endLine"], of["endColumn"]


def _normal(path: str) -> str:
    """One text for all ways to write a path; what is no path, as a notebook's cell, stays what it is."""
    return os.path.normcase(os.path.realpath(path)) if Path(path).is_absolute() else path
