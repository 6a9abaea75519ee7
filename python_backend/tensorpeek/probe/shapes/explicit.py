"""One explicit trace from a target to the record."""

from __future__ import annotations

import contextlib
import inspect
import linecache
import traceback
from collections.abc import Generator
from itertools import chain, count
from typing import Any, Callable

from tensorpeek.contract.messages import ShapeRemark, ShapeTrace
from tensorpeek.probe.shapes.call import Call, Target
from tensorpeek.probe.shapes.fake_trace import Outcome, said, trace
from tensorpeek.probe.shapes.module_map import ModuleMap
from tensorpeek.probe.shapes.names import name_symbols, readable
from tensorpeek.probe.shapes.pair_trace import name_followers
from tensorpeek.probe.shapes.remarks.changed_samples import changed_samples
from tensorpeek.probe.shapes.remarks.observer import observed
from tensorpeek.probe.shapes.remarks.operations import Operations, follow
from tensorpeek.probe.shapes.remarks.remarks import remarks_of
from tensorpeek.probe.shapes.sources import Sources
from tensorpeek.probe.shapes.time_limit import TooLong
from tensorpeek.probe.shapes.tracer import Recording, Tracer, to_trace
from tensorpeek.probe.shapes.work import counted

OF_THE_USER = Sources()


class Watched:
    """What one attempt has seen."""

    def __init__(self, recording: Recording, modules: ModuleMap, operations: Operations) -> None:
        self.recording = recording
        self.modules = modules
        self.operations = operations


def traced(target: Target, may_run: bool = True, sources: Sources = OF_THE_USER) -> ShapeTrace:
    """The shapes of a call of the user's model, which itself stays as it is.

    `may_run`: also with data, where it can't be traced without.
    """

    wants = sources.wanted(target.model)

    @contextlib.contextmanager
    def watch(call: Call) -> Generator[Watched]:
        modules = ModuleMap(call.function, wants)
        with Tracer(wants) as tracer, modules, counted(wants) as work, observed(call, wants) as operations:
            tracer.recording.work = work
            yield Watched(tracer.recording, modules, operations)

    outcome = trace(target, watch, may_run)
    result = _record(target, outcome, wants)
    names = name_symbols(result, outcome.roles)
    chosen: dict[str, str] = {}
    for role, size, other in (("B", outcome.batch, outcome.second), ("T", outcome.length, outcome.shorter)):
        if other is not None:
            name = _unused(result, role)
            # Until the model has made a number of it, it was a symbol, which has its name.
            own = (names[raw] for raw, each in outcome.roles.items() if each.name == role and raw in names)
            what = "batches" if role == "B" else "lengths"
            chosen[role] = next(own, name)
            name_followers(
                result,
                _record(target, other, wants),
                size,
                chosen[role],
                f"two passes with different {what}",
            )
    result["remarks"] += _remarks(target, outcome, names, chosen.get("B", "B"), may_run)
    return result


def _remarks(
    target: Target, outcome: Outcome, names: dict[str, str], batch: str, may_run: bool
) -> list[ShapeRemark]:
    """What is wrong although it fits; where code of ours fails at it, nothing."""
    watched: Any = outcome.recording
    if watched is None:
        return []
    operations: Operations = watched.operations
    if outcome.second is not None:
        follow(operations, outcome.second.recording.operations, outcome.batch, batch)

    def changed() -> list[int] | None:
        return (
            changed_samples(target, max(watched.recording.work.modules.values(), default=0))
            if may_run
            else None
        )

    try:
        return remarks_of(operations, lambda dim: readable(dim, names), changed)
    except Exception:  # noqa: BLE001  a fault of ours takes nothing from the trace
        return []


def _unused(trace: ShapeTrace, name: str) -> str:
    taken = {symbol["name"] for symbol in trace["symbols"]}
    words = chain([name], (f"{name}{number}" for number in count(2)))
    return next(word for word in words if word not in taken)


def _record(target: Target, outcome: Outcome, wants: Callable[[str], bool]) -> ShapeTrace:
    watched: Any = outcome.recording
    return to_trace(
        watched.recording if watched is not None else Recording(),
        source=outcome.source,
        entry=target.entry,
        symbols=[],
        modules=watched.modules.rows(watched.recording.work.modules) if watched is not None else [],
        remarks=raised(outcome.error, wants),
        problem=outcome.problem,
    )


def raised(error: BaseException | None, wants: Callable[[str], bool]) -> list[ShapeRemark]:
    """Where in the annotated code the pass ended early."""
    frames = traceback.extract_tb(error.__traceback__) if error is not None else []
    place = next((frame for frame in reversed(frames) if wants(frame.filename)), None)
    if error is None or place is None or not place.lineno:
        return []
    line = linecache.getline(place.filename, place.lineno).rstrip("\n")
    text = line.strip()
    start = len(line[: len(line) - len(line.lstrip())].encode())
    return [
        {
            "rule": "shape-error",
            "severity": "error",
            "title": "The traced pass was ended"
            if isinstance(error, TooLong)
            else f"{type(error).__name__} in the traced pass",
            "message": said(error),
            "path": place.filename,
            "line": place.lineno,
            "column": start,
            "endLine": place.lineno,
            "endColumn": start + len(text.encode("utf-8", "replace")),
            "lineText": line,
            "evidence": [],
            "next": [],
            "related": [],
        }
    ]


def entry_of(model: Any) -> str:
    """As `Net.forward(x, mask)`."""
    try:
        names = list(inspect.signature(model.forward).parameters)
    except (TypeError, ValueError):
        names = ["…"]
    return f"{type(model).__name__}.forward({', '.join(names)})"
