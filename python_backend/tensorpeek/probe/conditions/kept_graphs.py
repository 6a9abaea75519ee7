"""Meters, totals and lists that keep a tensor with its graph in every step: `total += loss`, `losses.append(loss)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from types import FrameType
from typing import Any

from tensorpeek.probe import raw
from tensorpeek.probe.training import source
from tensorpeek.probe.training.graph import sequence_of, walk
from tensorpeek.probe.training.moments import Step
from tensorpeek.probe.training.places import Place
from tensorpeek.probe.training.report import Related, Report
from tensorpeek.probe.training.user_values import is_tensor, locals_of, named_tensors, user_frames

NEAR = 40
"""Nodes that lie between a total and what it was a look ago."""
MOST_PARTS = 50


@dataclass
class Growth:
    mark: int
    """Of a total, its sequence number; of a list, that of its first tensor."""
    length: int = 0
    in_a_row: int = 0


class KeptGraphs:
    def __init__(self, window: int) -> None:
        self._window = window
        self._totals: dict[str, Growth] = {}
        self._lists: dict[str, Growth] = {}

    def look(self, step: Step) -> Report | None:
        """At the end of a step: what still reaches into the graphs of the steps before."""
        return self._look_at_totals(step) or self._look_at_lists(step)

    def _look_at_totals(self, step: Step) -> Report | None:
        present: dict[str, Growth] = {}
        for name, tensor in named_tensors(step.frame):
            if not tensor.requires_grad or tensor.grad_fn is None or name in present:
                continue
            mark, before = sequence_of(tensor.grad_fn), self._totals.get(name)
            growth = present[name] = Growth(mark)
            if before is None:
                continue
            if before.mark == mark:
                growth.in_a_row = before.in_a_row
            elif _reaches(tensor.grad_fn, before.mark):
                growth.in_a_row = before.in_a_row + 1
                if growth.in_a_row == self._window:
                    self._totals = {}
                    return _total_report(step, name)
        self._totals = present
        return None

    def _look_at_lists(self, step: Step) -> Report | None:
        present: dict[str, Growth] = {}
        for name, parts in _lists(step.frame):
            if not parts or name in present or not _keeps_graph(parts[0]) or not _keeps_graph(parts[-1]):
                continue
            mark, before = sequence_of(parts[0].grad_fn), self._lists.get(name)
            growth = present[name] = Growth(mark, len(parts))
            if before is not None and before.mark == mark and len(parts) > before.length:
                growth.in_a_row = before.in_a_row + 1
                if growth.in_a_row == self._window:
                    self._lists = {}
                    return _list_report(step, name, len(parts))
        self._lists = present
        return None


def _keeps_graph(value: Any) -> bool:
    return is_tensor(value) and value.requires_grad and value.grad_fn is not None


def _reaches(function: Any, mark: int) -> bool:
    return any(node.sequence == mark for node in walk(function, NEAR).nodes)


def _lists(frame: FrameType | None) -> Iterator[tuple[str, list[Any]]]:
    for each in user_frames(frame):
        for name, value in locals_of(each).items():
            if type(value) is list:
                yield name, value
            elif type(value) is dict:
                for key, part in list(value.items())[:MOST_PARTS]:
                    if type(part) is list:
                        yield f"{name}[{key!r}]", part
            elif not isinstance(value, type) and source.is_users_class(type(value)):
                for key, part in list(raw.attributes(value).items())[:MOST_PARTS]:
                    if type(part) is list:
                        yield f"{name}.{key}", part


def _total_report(step: Step, name: str) -> Report:
    owner, _, attribute = name.rpartition(".")
    place, shown, related = None, name, []
    for frame in user_frames(step.frame):
        names = locals_of(frame)
        if owner.isidentifier() and owner in names:
            place = _accumulation(type(names[owner]), attribute)
            shown = f"{type(names[owner]).__name__}.{attribute}"
            related = _calls_from(frame, owner, place)
        elif not owner and name in names:
            place = _own_accumulation(frame, name)
        if place is not None:
            break
    called = f", called from line {related[0].place.line}" if related else ""
    at = f" (line {place.line}{called})" if place is not None else ""
    return Report(
        "Graph kept by a total",
        f"`{shown}`{at} is a tensor that requires grad, and it is added to in every step: its graph grows with each "
        "of them and is never freed.",
        place=place,
        evidence=[f"{name}: its graph reaches that of the step before, at each of the last looks"],
        next=["Add a number or a tensor without graph: loss.item() or loss.detach()."],
        related=related,
    )


def _list_report(step: Step, name: str, length: int) -> Report:
    place = None
    for frame in user_frames(step.frame):
        places = [
            Place(frame.f_code.co_filename, node.lineno, frame.f_code.co_name)
            for node in source.own_nodes(source.body_of(frame.f_code))
            if isinstance(node, ast.Call) and source.text(node.func) in (f"{name}.append", f"{name}.extend")
        ]
        place = places[0] if places else None
        if place is not None:
            break
    return Report(
        "Graphs kept in a list",
        f"`{name}` holds {length} tensors that require grad, more in each step, each with the graph of its step.",
        place=place,
        value=float(length),
        evidence=[f"{name}: {length} tensors with grad_fn"],
        next=["Append loss.item() or loss.detach(), or empty the list after each step."],
    )


def _accumulation(cls: type, attribute: str) -> Place | None:
    """The method's line that makes `self.attribute` from itself."""
    return source.attribute_assignment(cls, attribute, reads_itself=True)


def _own_accumulation(frame: FrameType, name: str) -> Place | None:
    for node in source.assignments(frame.f_code, name):
        if source.reads(node, name):
            return Place(frame.f_code.co_filename, node.lineno, frame.f_code.co_name)
    return None


def _calls_from(frame: FrameType, owner: str, place: Place | None) -> list[Related]:
    """The frame's lines that call the method."""
    if place is None:
        return []
    return [
        Related(Place(frame.f_code.co_filename, node.lineno, frame.f_code.co_name), "called from here")
        for node in source.own_nodes(source.body_of(frame.f_code))
        if isinstance(node, ast.Call) and source.text(node.func) == f"{owner}.{place.function}"
    ]
