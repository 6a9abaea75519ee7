"""Looks at a tensor in every way a user can: line, statistics, and every row under it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from tensorpeek.probe.budget import Deadline
from tensorpeek.probe.kinds.kind import Child
from tensorpeek.probe.kinds.tensor import TensorKind
from tensorpeek.probe.kinds.tensor_row import RowKind, TensorRow
from tensorpeek.probe.presentation import Group
from tensorpeek.probe.statistics import Statistics, scan_tensor
from tensorpeek.probe.tensors.facts import TensorFacts, tensor_facts
from tensorpeek.probe.tensors.line import tensor_line

KIND, ROW_KIND = TensorKind(), RowKind()
DEPTH = 4
WIDTH = 5


@dataclass
class Peek:
    line: str
    alarm: str
    facts: TensorFacts
    statistics: Statistics | None
    rows: dict[str, str]
    """The text of every row found by expanding, by its path, as in `values/[0]/[1]`."""


def peek(tensor: Any) -> Peek:
    facts = tensor_facts(tensor)
    scan = scan_tensor(tensor)
    if scan is not None:
        scan.advance(Deadline.never())
    statistics = None if scan is None else scan.statistics
    alarm, line = tensor_line(facts, statistics)
    rows: dict[str, str] = {}
    _expand(KIND.children(tensor) or [], "", rows, DEPTH)
    return Peek(line, alarm, facts, statistics, rows)


def statistics_of(tensor: Any) -> Statistics:
    found = peek(tensor).statistics
    assert found is not None
    assert found.exact
    return found


def _expand(children: list[Child], path: str, rows: dict[str, str], depth: int) -> None:
    for child in children[:WIDTH] if depth < DEPTH - 1 else children:
        here = f"{path}{child.name}"
        value = child.value
        if isinstance(value, Group):
            rows[here] = value.label
            if depth:
                _expand(value.make_children(), f"{here}/", rows, depth - 1)
        elif isinstance(value, TensorRow):
            scan = ROW_KIND.scan(value)
            if scan is not None:
                scan.advance(Deadline.never())
            rows[here] = (ROW_KIND.present(value, scan) or {"text": ""})["text"]
            if depth:
                _expand(ROW_KIND.children(value) or [], f"{here}/", rows, depth - 1)
        else:
            rows[here] = str(value) if isinstance(value, str) else type(value).__name__


def close(found: float | None, expected: float, scale: float) -> bool:
    """Whether two numbers agree to 1e-6 of a scale."""
    return found is not None and math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-6 * scale)
