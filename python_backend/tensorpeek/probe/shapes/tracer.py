"""Traces what runs while it is entered: rewrites the wanted files, swaps, records, restores."""

from __future__ import annotations

import hashlib
import sys
import tokenize
from collections.abc import Iterable
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
from tensorpeek.probe.shapes.swap import Swap, live_functions, restore
from tensorpeek.probe.shapes.uncompiled import Uncompiled
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
    def __init__(
        self,
        wants: Callable[[str], bool],
        functions: Callable[[], Iterable[FunctionType]] = live_functions,
    ) -> None:
        """`wants` says of a file's path whether it is to be traced, `functions` which ones there are."""
        self._wants = wants
        self._functions = functions
        self._ready: dict[int, tuple[FunctionType, CodeType, CodeType | None]] = {}
        """By a function's address, its own code and the one that was made before."""
        self._swap = Swap()
        self._uncompiled = Uncompiled()
        self._wanted: dict[str, bool] = {}
        self._callbacks: dict[str, dict[str, Callable[..., Any]]] = {}
        """By file and placeholder."""
        self._born: dict[int, CodeType] = {}
        """The own codes of functions that are made meanwhile, by the address of the other."""
        self._kept: list[CodeType] = []
        """What has its address in `_born`."""
        self.recording = Recording()

    def prepare(self, functions: Iterable[FunctionType]) -> None:
        """Makes the other code of functions now, which takes time, instead of when it is entered."""
        for function in functions:
            if id(function) not in self._ready:
                self._ready[id(function)] = function, function.__code__, self._made(function)

    def __enter__(self) -> Tracer:
        for recorder in self.recording.files.values():
            recorder.hear_this_thread()
        self._uncompiled.begin()
        try:
            self._swap.begin(self._functions(), self._new_code)
        except BaseException:
            self._uncompiled.end()
            raise
        return self

    def __exit__(self, *raised: object) -> None:
        self.stop()
        self.clear()

    def stop(self) -> None:
        """Functions have their own code again, but for those that were made meanwhile."""
        for recorder in self.recording.files.values():
            recorder.close()
        self._swap.end()
        self._uncompiled.end()

    def clear(self) -> None:
        """After `stop`: nothing is left in the program."""
        recorders = self.recording.files.values()
        # To look for functions that were made meanwhile takes time, so only where there can be some.
        if any(not recorder.file.places.makers.isdisjoint(recorder.functions) for recorder in recorders):
            restore(self._born)
        self._born.clear()
        self._kept.clear()
        self._ready.clear()

    def _new_code(self, function: FunctionType) -> CodeType | None:
        ready = self._ready.get(id(function))
        return ready[2] if ready is not None and ready[1] is function.__code__ else self._made(function)

    def _made(self, function: FunctionType) -> CodeType | None:
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
                "values": [{**value} for value in seen.values],
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
                "values": [{**value} for value in seen.values],
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
