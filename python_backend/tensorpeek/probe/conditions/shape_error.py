"""An operation that fails since shapes disagree, told in the names of the user's code."""

from __future__ import annotations

from collections.abc import Mapping

from tensorpeek.catalogue import conditions
from tensorpeek.probe.conditions.condition import Condition
from tensorpeek.probe.shape_errors import origins
from tensorpeek.probe.shape_errors.batches import Sizes
from tensorpeek.probe.shape_errors.explanation import Explanation, Operand
from tensorpeek.probe.shape_errors.failing import Failing, failing, module_name
from tensorpeek.probe.shape_errors.rules import explain
from tensorpeek.probe.shape_errors.way import way_of
from tensorpeek.probe.training import source
from tensorpeek.probe.training.moments import Batch, Failure
from tensorpeek.probe.training.places import Place
from tensorpeek.probe.training.report import Related, Report

RAISED = (RuntimeError, ValueError, IndexError, AssertionError, TypeError)
MOST_RELATED = 8


class ShapeError(Condition):
    info = conditions.SHAPE_ERROR

    def __init__(self, settings: Mapping[str, float]) -> None:
        super().__init__(settings)
        self._sizes = Sizes()

    def on_batch(self, batch: Batch) -> None:
        self._sizes.saw(batch)

    def on_failure(self, failure: Failure) -> Report | None:
        if not isinstance(failure.error, RAISED):
            return None
        found = failing(failure)
        explanation = explain(found, self._sizes) if found is not None else None
        return _report(found, explanation) if found is not None and explanation is not None else None


def _report(found: Failing, explanation: Explanation) -> Report:
    operands = _once(explanation.operands)
    related = list(explanation.related)
    for operand in operands:
        related += origins.lines_of(found, operand)
    text = source.text(found.node) if found.node is not None else ""
    where = (
        f"`{text}`: " if text and explanation.place is None and len(text) <= 80 and "\n" not in text else ""
    )
    made = _made_at(found, operands)
    return Report(
        explanation.title,
        f"{where}{explanation.message}{made}",
        place=explanation.place or found.place,
        module=module_name(found, found.module) if found.module is not None else "",
        evidence=[*explanation.evidence, *_evidence(found, operands)],
        next=explanation.next,
        related=_distinct(related, explanation.place or found.place)[:MOST_RELATED],
        values={each.text: each.value for each in operands if each.value.device.type != "meta"},
    )


def _once(operands: list[Operand]) -> list[Operand]:
    found: dict[str, Operand] = {}
    for operand in operands:
        found.setdefault(operand.text, operand)
    return list(found.values())


def _distinct(related: list[Related], failed: Place) -> list[Related]:
    """Each line once, with all that is made there, and not the failing one again."""
    seen: dict[tuple[str, int], Related] = {}
    for each in related:
        key = (each.place.path, each.place.line)
        if key == (failed.path, failed.line):
            continue
        if key not in seen:
            seen[key] = Related(each.place, each.message)
        elif each.message not in seen[key].message:
            seen[key].message += f"; {each.message}"
    return list(seen.values())


def _made_at(found: Failing, operands: list[Operand]) -> str:
    """Where the operands that have a name are from."""
    said: list[str] = []
    for operand in operands[:3]:
        own = f"`{operand.text}`"
        made = [each for each in origins.lines_of(found, operand) if each.message.startswith(own)]
        if made and made[0].place.path == found.place.path and made[0].place.line != found.place.line:
            said.append(f"{own} is from line {made[0].place.line}")
    return f" {', '.join(said)}." if said else ""


def _evidence(found: Failing, operands: list[Operand]) -> list[str]:
    lines: list[str] = []
    for operand in operands:
        way = way_of(found, operand.value)
        if len(way) > 1:
            lines += [f"on the way to {operand.text}:", *(f"  {line}" for line in way)]
    first = found.text.strip().partition("\n")[0][:300]
    return [*lines, f"torch says: {first}"]
