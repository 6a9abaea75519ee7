"""Every tensor reachable from a paused frame, with the expression that yields it."""

from __future__ import annotations

import sys
import types
from dataclasses import dataclass
from itertools import islice
from typing import Any, Callable

from tensorpeek.contract.messages import TensorRow, TensorTable
from tensorpeek.probe import raw, reach
from tensorpeek.probe.budget import Deadline
from tensorpeek.probe.kinds.ndarray import plain
from tensorpeek.probe.shorthand import dtype_shorthand
from tensorpeek.probe.statistics import scan_array, scan_tensor
from tensorpeek.probe.statistics.tensor_scan import AnyScan
from tensorpeek.probe.tensors.facts import TensorFacts, tensor_facts
from tensorpeek.probe.tensors.line import alarm

DEEPEST = 8
MOST_VISITED = 50_000
"""Values looked at, in all."""
MOST_MEMBERS = 2_000
"""Members of one value looked at."""
SHARE_FOR_WALK = 0.5
"""Of the time; the rest is for the numbers."""


@dataclass
class Found:
    """A tensor or array, and the Python that yields it in the frame."""

    expression: str
    value: Any
    is_tensor: bool


def tensor_table(
    frame: types.FrameType, limit: int, budget_ms: float, deadline_after: Callable[[float], Deadline]
) -> TensorTable:
    """The rows, those nearest to the frame's names first; what the limits left out is said by `truncated`.

    Numbers come smallest tensor first, each with its fair share of the time; the others stay without.
    """
    whole = deadline_after(budget_ms)
    found, is_complete = reachable(frame.f_locals, limit, deadline_after(budget_ms * SHARE_FOR_WALK))
    rows = [tensor_row(each) if each.is_tensor else array_row(each) for each in found]
    scans = [(scan, row) for each, row in zip(found, rows) if (scan := scan_of(each)) is not None]
    scans.sort(key=lambda pair: pair[0].cost)
    for served, (scan, row) in enumerate(scans):
        if whole.expired:
            break
        scan.advance(deadline_after(whole.remaining_ms / (len(scans) - served)))
        fill_in(row, scan)
    return {"rows": rows, "truncated": not is_complete, "path": frame.f_code.co_filename}


def reachable(names: Any, limit: int, deadline: Deadline) -> tuple[list[Found], bool]:
    """Level by level from the names, each object once; whether nothing was left out."""
    found: list[Found] = []
    level: list[tuple[str, Any]] = [
        (name, value)
        for name, value in list(names.items())
        if not (name.startswith("__") and name.endswith("__")) and name.isidentifier()
    ]
    seen: set[int] = set()
    is_complete = True
    for depth in range(DEEPEST + 1):
        fresh: list[tuple[str, Any]] = []
        for expression, value in level:
            if id(value) in seen and depth:
                continue
            if deadline.expired or len(seen) >= MOST_VISITED:
                return found, False
            cls = type(value)
            is_tensor = raw.is_a(cls, "torch.Tensor")
            if is_tensor or raw.is_a(cls, "numpy.ndarray"):
                if len(found) >= limit:
                    return found, False
                found.append(Found(expression, value, is_tensor))
            if id(value) not in seen:
                seen.add(id(value))
                fresh.append((expression, value))
        level = []
        for expression, value in fresh if depth < DEEPEST else ():
            if deadline.expired:
                return found, False
            members = reach.members(value)
            for member in islice(members, MOST_MEMBERS):
                if reach.can_hold(raw.class_of(member.value)):
                    level.append((reach.expression(expression, member.evaluate), member.value))
            is_complete = is_complete and next(members, None) is None
    return found, is_complete


def tensor_row(found: Found) -> TensorRow:
    facts = tensor_facts(found.value)
    return {
        "expression": found.expression,
        "type": facts.type_name,
        "shape": [size if isinstance(size, int) else -1 for size in facts.shape],
        "dtype": facts.dtype,
        "device": facts.device,
        "bytes": facts.bytes,
        "min": None,
        "max": None,
        "mean": None,
        "exact": False,
        "alarm": "",
        "storage": facts.storage,
        "line": 0,
    }


def array_row(found: Found) -> TensorRow:
    array = plain(found.value)
    owner = plain(memory_owner(found.value))
    return {
        "expression": found.expression,
        "type": raw.class_name(type(found.value)),
        "shape": list(array.shape),
        "dtype": dtype_shorthand(array.dtype),
        "device": "cpu",
        "bytes": array.nbytes,
        "min": None,
        "max": None,
        "mean": None,
        "exact": False,
        "alarm": "",
        # The words of a torch storage, because the two often share one memory.
        "storage": f"cpu {owner.ctypes.data:#x}" if owner.nbytes else "",
        "line": 0,
    }


def memory_owner(array: Any) -> Any:
    """The array that this one is a view of in the end, itself where it is none."""
    base = sys.modules["numpy"].ndarray.base
    while raw.is_a(type(below := base.__get__(array)), "numpy.ndarray"):
        array = below
    return array


def scan_of(found: Found) -> AnyScan | None:
    try:
        if found.is_tensor:
            return scan_tensor(found.value)
        array = plain(found.value)
        return scan_array(array) if array.dtype.kind in "biufc" and array.size else None
    except Exception:  # noqa: BLE001 - its row stays without numbers
        return None


def fill_in(row: TensorRow, scan: AnyScan) -> None:
    known = scan.statistics
    row["min"], row["max"], row["mean"] = known.minimum, known.maximum, known.mean
    row["exact"] = known.exact
    row["alarm"] = alarm(TensorFacts(dtype=row["dtype"]), known)
