"""One explicit trace from a target to the record."""

from __future__ import annotations

import inspect
import linecache
import traceback
from itertools import chain, count
from typing import Any, Callable

from tensorpeek.contract.messages import ShapeRemark, ShapeTrace
from tensorpeek.probe.shapes.call import Target
from tensorpeek.probe.shapes.fake_trace import Outcome, said, trace
from tensorpeek.probe.shapes.names import name_symbols, readable
from tensorpeek.probe.shapes.pair_trace import name_followers
from tensorpeek.probe.shapes.remarks.changed_samples import changed_samples
from tensorpeek.probe.shapes.remarks.operations import follow
from tensorpeek.probe.shapes.remarks.remarks import remarks_of
from tensorpeek.probe.shapes.sources import Sources
from tensorpeek.probe.shapes.time_limit import TooLong
from tensorpeek.probe.shapes.tracer import Recording, to_trace
from tensorpeek.probe.shapes.watched import watched

OF_THE_USER = Sources()


def traced(target: Target, may_run: bool = True, sources: Sources = OF_THE_USER) -> ShapeTrace:
    """The shapes of a call of the user's model, which itself stays as it is.

    `may_run`: also with data, where it can't be traced without.
    """
    wants = sources.wanted(target.model)
    outcome = trace(target, lambda call: watched(call, wants), may_run)
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
    seen = outcome.seen
    if seen is None:
        return []
    if outcome.second is not None and outcome.second.seen is not None:
        follow(seen.operations, outcome.second.seen.operations, outcome.batch, batch)

    def changed() -> list[int] | None:
        return changed_samples(target, max(seen.work.modules.values(), default=0)) if may_run else None

    try:
        return remarks_of(seen.operations, lambda dim: readable(dim, names), changed)
    except Exception:  # noqa: BLE001  a fault of ours takes nothing from the trace
        return []


def _unused(trace: ShapeTrace, name: str) -> str:
    taken = {symbol["name"] for symbol in trace["symbols"]}
    words = chain([name], (f"{name}{number}" for number in count(2)))
    return next(word for word in words if word not in taken)


def _record(target: Target, outcome: Outcome, wants: Callable[[str], bool]) -> ShapeTrace:
    seen = outcome.seen
    return to_trace(
        seen.recording if seen is not None else Recording(),
        source=outcome.source,
        entry=target.entry,
        symbols=[],
        modules=seen.modules.rows(seen.work.modules) if seen is not None else [],
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
