"""Adds to a report that something is not finite where that began, by running the step once more."""

from __future__ import annotations

from types import FrameType

from tensorpeek.probe.replay.producer import Producer, find_producer
from tensorpeek.probe.training.places import place_of
from tensorpeek.probe.training.report import Related, Report
from tensorpeek.probe.training.step_record import StepRecord


def add_producer(record: StepRecord | None, kind: str, report: Report, frame: FrameType | None) -> None:
    """The report names the operation and its line then; where that is impossible, what is known instead."""
    if record is None:
        return
    record.frame = frame
    try:
        found = find_producer(record, "backward" if kind == "gradients" else "forward")
    finally:
        record.frame = None
    if not isinstance(found, Producer):
        report.message += f" Where it began could not be found: {found.reason}."
        report.evidence += found.known
        return
    seen_at = report.place or place_of(frame)
    if found.place is not None:
        if seen_at is not None and seen_at[:2] != found.place[:2]:
            report.related.append(Related(seen_at, f"{report.title}: seen here"))
        report.place = found.place
    report.message = f"{found.text} {report.message}"
    report.module = found.module or report.module
    report.evidence = [*found.inputs, *report.evidence]
    report.related = [*found.related, *report.related]
    report.next = [*found.next, *report.next]
