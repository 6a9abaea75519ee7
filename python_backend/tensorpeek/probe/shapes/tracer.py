"""Traces what runs while it is entered: rewrites the wanted files, swaps, records, restores."""

from __future__ import annotations

import hashlib
import sys
import tokenize
from datetime import datetime
from types import CodeType, FunctionType
from typing import Any, Callable, Literal

from tensorpeek.contract.messages import (
    CONTRACT_VERSION,
    ShapeRemark,
    ShapeSymbol,
    ShapeTrace,
    TracedFile,
    TracedModule,
)
from tensorpeek.probe.shapes.recorder import Recorder
from tensorpeek.probe.shapes.rewriting.codes import paired
from tensorpeek.probe.shapes.rewriting.placeholders import with_functions
from tensorpeek.probe.shapes.rewriting.rewritten import Rewritten, rewritten
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
        self._callbacks: dict[str, dict[str, Callable[..., Any]]] = {}
        """By file and placeholder."""
        self._born: dict[int, CodeType] = {}
        """The own codes of functions that are made meanwhile, by the address of the other."""
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
        has_made = any(
            not recorder.file.places.makers.isdisjoint(recorder.functions) for recorder in recorders
        )
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
        pair = recorder.file.codes.of(own)
        if pair is None:
            return None
        code = with_functions(pair[1], self._callbacks[path])
        for original, inner in paired(own, code):
            self._born[id(inner)] = original
            self._kept.append(inner)
        return code

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
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                _rewritten[key] = None
        file = _rewritten[key]
        if file is None:
            return False
        recorder = self.recording.files[path] = Recorder(file)
        self._callbacks[path] = recorder.callbacks()
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
    places = file.places
    by_span = work.by_span(file.path, places.expressions) if work is not None else {}
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
        line, column, end_line, end_column = span = places.expressions[number]
        traced["expressions"].append(
            {
                "line": line,
                "column": column,
                "endLine": end_line,
                "endColumn": end_column,
                "values": seen.values,
                "order": seen.order,
                "calls": seen.calls,
                "flops": by_span.get(span, 0),
            }
        )
    for number, seen in sorted(recorder.names.items()):
        name, (line, column, end_line, end_column) = places.names[number]
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
        name, line, end_line, first = places.functions[number]
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
