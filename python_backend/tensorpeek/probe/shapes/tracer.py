"""Traces what runs while it is entered: rewrites the wanted files, swaps, records, restores."""

from __future__ import annotations

import hashlib
import sys
import tokenize
from datetime import datetime
from types import CodeType, FunctionType
from typing import Callable, Literal

from tensorpeek.contract.messages import (
    CONTRACT_VERSION,
    ShapeRemark,
    ShapeSymbol,
    ShapeTrace,
    TracedFile,
    TracedModule,
)
from tensorpeek.probe.shapes.recorder import Recorder
from tensorpeek.probe.shapes.rewrite import Rewritten, rewritten, with_recorder
from tensorpeek.probe.shapes.swap import Swap
from tensorpeek.probe.shapes.work import Done, Work

_rewritten: dict[tuple[str, str], Rewritten | None] = {}
"""By path and content; None for a text that can't be read."""
LARGEST_FILE = 2_000_000


class Recording:
    def __init__(self) -> None:
        self.files: dict[str, Recorder] = {}
        self.work: Work | None = None
        """What was counted besides, where it was."""


class Tracer:
    def __init__(self, wants: Callable[[str], bool]) -> None:
        """`wants` says of a file's path whether it is to be traced."""
        self._wants = wants
        self._swap = Swap()
        self._wanted: dict[str, bool] = {}
        self._born: dict[int, CodeType] = {}
        self._kept: list[CodeType] = []
        """What has its address in `_born`."""
        self.recording = Recording()

    def __enter__(self) -> Tracer:
        self._swap.begin(self._new_code)
        return self

    def __exit__(self, *raised: object) -> None:
        recorders = self.recording.files.values()
        for recorder in recorders:
            recorder.close()
        # To look for functions that were made meanwhile takes time, so only where there can be some.
        has_made = any(not recorder.file.makers.isdisjoint(recorder.functions) for recorder in recorders)
        self._swap.end(self._born if has_made else None)
        self._born.clear()
        self._kept.clear()

    def _new_code(self, function: FunctionType) -> CodeType | None:
        own = function.__code__
        path = own.co_filename
        wanted = self._wanted.get(path)
        if wanted is None:
            wanted = self._wanted[path] = self._wants(path) and self._prepared(path)
        if not wanted:
            return None
        recorder = self.recording.files[path]
        key = own.co_name, own.co_firstlineno
        code = recorder.file.codes.get(key)
        # The file may have been edited since it was imported, or something has rewritten it on the way.
        if code is None or own.co_name == "<lambda>" or recorder.file.originals.get(key) != own:
            return None

        def made(inner: CodeType) -> None:
            original = recorder.file.originals.get((inner.co_name, inner.co_firstlineno))
            if original is not None and not inner.co_name.startswith("<"):
                self._born[id(inner)] = original
                self._kept.append(inner)

        return with_recorder(code, recorder.callbacks(), made)

    def _prepared(self, path: str) -> bool:
        try:
            with tokenize.open(path) as file:
                text = file.read(LARGEST_FILE + 1)
        except (OSError, SyntaxError, ValueError):
            return False
        key = (path, hashlib.sha256(text.encode("utf-8", "replace")).hexdigest())
        if key not in _rewritten:
            try:
                _rewritten[key] = rewritten(path, text) if len(text) <= LARGEST_FILE else None
            except (SyntaxError, ValueError, RecursionError):
                _rewritten[key] = None
        file = _rewritten[key]
        if file is None:
            return False
        self.recording.files[path] = Recorder(file)
        return True


def to_trace(
    recording: Recording,
    *,
    source: Literal["fake", "pair", "real", "step", "frame"],
    entry: str,
    symbols: list[ShapeSymbol],
    modules: list[TracedModule],
    remarks: list[ShapeRemark],
    problem: str,
) -> ShapeTrace:
    torch = sys.modules.get("torch")
    return {
        "contractVersion": CONTRACT_VERSION,
        "time": datetime.now().astimezone().isoformat(timespec="seconds"),
        "source": source,
        "entry": entry,
        "torch": str(getattr(torch, "__version__", "")),
        "symbols": symbols,
        "files": [
            _file(recorder, recording.work) for recorder in recording.files.values() if recorder.functions
        ],
        "modules": modules,
        "remarks": remarks,
        "problem": problem,
        "truncated": any(recorder.is_truncated for recorder in recording.files.values()),
    }


def _file(recorder: Recorder, work: Work | None) -> TracedFile:
    file = recorder.file
    by_span = work.by_span(file.path, file.spans) if work is not None else {}
    by_function = work.functions if work is not None else {}
    traced: TracedFile = {
        "path": file.path,
        "sha256": hashlib.sha256(file.text.encode("utf-8", "replace")).hexdigest(),
        "text": file.text,
        "expressions": [],
        "names": [],
        "functions": [],
        "blocks": sorted(recorder.blocks),
    }
    for number, seen in sorted(recorder.expressions.items()):
        line, column, end_line, end_column = file.spans[number]
        traced["expressions"].append(
            {
                "line": line,
                "column": column,
                "endLine": end_line,
                "endColumn": end_column,
                "values": seen.values,
                "order": seen.order,
                "calls": seen.calls,
                "flops": by_span.get(file.spans[number], 0),
            }
        )
    for number, seen in sorted(recorder.names.items()):
        name, (line, column, end_line, end_column) = file.names[number]
        traced["names"].append(
            {
                "name": name,
                "line": line,
                "column": column,
                "endLine": end_line,
                "endColumn": end_column,
                "values": seen.values,
                "order": seen.order,
                "calls": seen.calls,
            }
        )
    for number, calls in sorted(recorder.functions.items()):
        name, line, end_line, first = file.functions[number]
        done = by_function.get((file.path, name.rpartition(".")[2], first), Done())
        traced["functions"].append(
            {
                "name": name,
                "line": line,
                "endLine": end_line,
                "calls": calls,
                "flops": done.flops,
                "peakBytes": done.peak,
            }
        )
    return traced
