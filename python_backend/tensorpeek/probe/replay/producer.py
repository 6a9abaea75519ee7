"""Where the first value that is not finite was born: the step is run once more to find out."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from tensorpeek.probe.replay.copy_of_process import Answer, NoCopy, in_copy, obstacle
from tensorpeek.probe.replay.in_place import run_in_place
from tensorpeek.probe.replay.plans import Plan, plans_for
from tensorpeek.probe.replay.rerun import Finish, Outcome, Rerun
from tensorpeek.probe.replay.verdict import verdict
from tensorpeek.probe.training.places import Place
from tensorpeek.probe.training.report import Related
from tensorpeek.probe.training.step_record import StepRecord

LONGEST = 20.0
"""Seconds that the user's program waits for an answer, at most."""
FINITE_MODEL = "The model alone, run again, gives finite values: the first that is not is made after it."


@dataclass
class Producer:
    op: str
    """As a user writes it, as in `sqrt`; `input` where the batch itself is not finite."""
    place: Place | None
    phase: str
    """`forward` or `backward`."""
    module: str
    """The path of the innermost module around the op; empty for the model itself."""
    inputs: list[str]
    """A line with dtype, shape and range for each floating input."""
    rows: list[int]
    """Of the batch; at most 64."""
    text: str
    is_nan: bool
    hidden_by: str = ""
    """The op after which the value was no longer to be seen until the backward pass."""
    exact: bool = False
    """Whether the step gave the same loss as before."""
    next: list[str] = field(default_factory=list)
    related: list[Related] = field(default_factory=list)


@dataclass
class Unknown:
    reason: str
    known: list[str] = field(default_factory=list)
    """What the search has shown all the same, each a sentence."""


def find_producer(record: StepRecord, phase: str) -> Producer | Unknown:
    """Runs the step of the record again, in a copy of the process. `phase` is where it went wrong.

    `forward`: the loss, or a module's output, is not finite. `backward`: a gradient is not, and the loss is.
    """
    unknown: Unknown | None = None
    for found, is_faithful in _answers(record, phase, verdict):
        if isinstance(found, Unknown):
            unknown = unknown or found
        elif "unknown" not in found:
            return _producer(found)
        elif is_faithful or unknown is None:
            unknown = Unknown(found["unknown"], found["known"])
            if found.get("is_final"):
                break
        else:
            unknown.known += [*found["known"], FINITE_MODEL]
    return unknown or Unknown("the step cannot be run again: the call of the model was not seen")


class Located(NamedTuple):
    """The operation of a node of the loss's graph."""

    place: Place
    shapes: list[tuple[int, ...]]
    """Of its inputs, also of those without gradient."""


def locate(record: StepRecord, path: list[int]) -> Located | None:
    """The user's line that made a node, which is reached by these indices of `next_functions`."""

    def finish(outcome: Outcome) -> Answer:
        node = outcome.roots[0].grad_fn if outcome.roots else None
        for index in path:
            node = node.next_functions[index][0] if node is not None else None
        known = outcome.watch.forward.get(node._sequence_nr()) if node is not None else None
        if known is None or known.place is None:
            return {"place": None}
        return {"place": list(known.place), "shapes": [list(shape) for shape in known.shapes]}

    for found, _ in _answers(record, "forward", finish):
        if not isinstance(found, Unknown) and found["place"] is not None:
            return Located(Place(*found["place"]), [tuple(shape) for shape in found["shapes"]])
    return None


def _answers(record: StepRecord, phase: str, finish: Finish) -> Iterator[tuple[Answer | Unknown, bool]]:
    """What each way to run the step again has to say, and whether that was all of it; while there is time."""
    end = time.monotonic() + LONGEST
    problem = obstacle(record.module)
    if problem:
        found = run_in_place(record, phase, finish) if record.module is not None else {"failure": problem}
        yield Unknown(problem), False
        yield Unknown(found["failure"]) if "failure" in found else found, False
        return
    for plan in plans_for(record, phase):
        try:
            seconds = max(1.0, end - time.monotonic())
            yield in_copy(partial(_run, record, plan, finish), seconds), plan.is_faithful
        except NoCopy as reason:
            yield Unknown(str(reason)), False
        if time.monotonic() > end:
            return


def _run(record: StepRecord, plan: Plan, finish: Finish) -> Answer:
    return Rerun(record, finish).run(plan.run)


def _producer(found: Answer) -> Producer:
    place, related = found.pop("place"), found.pop("related")
    return Producer(
        place=Place(*place) if place else None,
        related=[Related(Place(*where), message) for where, message in related],
        **found,
    )
