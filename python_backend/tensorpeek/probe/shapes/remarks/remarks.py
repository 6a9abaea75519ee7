"""The remarks of a trace, made of what the rules find."""

from __future__ import annotations

from typing import Callable

from tensorpeek.contract.messages import ShapeRemark
from tensorpeek.probe.shapes.remarks.operations import Operations
from tensorpeek.probe.shapes.remarks.registry import RULES
from tensorpeek.probe.shapes.remarks.rule import Fault, Pass
from tensorpeek.probe.shapes.remarks.spots import Spot

MOST_REMARKS = 20


def remarks_of(
    operations: Operations, readable: Callable[[str], str], changed: Callable[[], list[int] | None]
) -> list[ShapeRemark]:
    """One per expression. `readable`: a dim as torch writes it, in the user's names. `changed`: the samples
    whose results change with those of sample 0, in a pass with data; None where there can be none.
    """
    seen = Pass(operations, readable)
    rules = [rule() for rule in RULES]
    found: dict[Spot, tuple[str, Fault]] = {}
    for operation in operations.all:
        if operation.spot is None or operation.spot in found:
            continue
        for rule in rules:
            fault = next(rule.look(operation, seen), None)
            if fault is not None:
                found[operation.spot] = rule.name, fault
                break
        if len(found) >= MOST_REMARKS:
            break
    if any(fault.mixes_samples for _, fault in found.values()):
        found = _shown(found, changed())
    return [_remark(name, fault) for name, fault in found.values()]


def _shown(found: dict[Spot, tuple[str, Fault]], changed: list[int] | None) -> dict[Spot, tuple[str, Fault]]:
    """With what the pass with data has shown, and without what it has refuted."""
    if changed is None:
        return found
    if not set(changed) - {0}:
        return {spot: row for spot, row in found.items() if not row[1].mixes_samples}
    numbers = ", ".join(map(str, changed))
    for _, fault in found.values():
        if fault.mixes_samples:
            fault.evidence.append(
                f"in a pass with data, sample 0 changed, and the outputs of samples {numbers} changed"
            )
    return found


def _remark(name: str, fault: Fault) -> ShapeRemark:
    spot = fault.spot
    return {
        "rule": name,
        "severity": "warning",
        "title": fault.title,
        "message": fault.message,
        "path": spot.path,
        "line": spot.line,
        "column": spot.column,
        "endLine": spot.end_line,
        "endColumn": spot.end_column,
        "lineText": spot.line_text,
        "evidence": fault.evidence,
        "next": fault.next,
        "related": [
            {"path": place.path, "line": place.line, "message": message} for place, message in fault.related
        ],
    }
