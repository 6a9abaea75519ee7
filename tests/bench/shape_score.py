"""How much of what a model gives is in a trace of its shapes, and right, by an independent record."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from eager_record import EagerRecord, Shape

from tensorpeek.contract.messages import ShapeTrace, ShapeValue

ANY = -1
"""A size that the data decide and a trace without data can't know."""


@dataclass
class Score:
    """Names by file, line and name; calls by file and place. Right is one whose shapes are all the same."""

    names: int = 0
    names_covered: int = 0
    names_right: int = 0
    calls: int = 0
    calls_covered: int = 0
    calls_right: int = 0
    faults: list[str] = field(default_factory=list[str])
    """What is missing or wrong, for a reader."""

    def __add__(self, other: Score) -> Score:
        return Score(
            self.names + other.names,
            self.names_covered + other.names_covered,
            self.names_right + other.names_right,
            self.calls + other.calls,
            self.calls_covered + other.calls_covered,
            self.calls_right + other.calls_right,
            [*self.faults, *other.faults],
        )


def score(trace: ShapeTrace, record: EagerRecord) -> Score:
    names: dict[Any, set[Shape]] = {}
    calls: dict[Any, set[Shape]] = {}
    for file in trace["files"]:
        for name in file["names"]:
            key = file["path"], name["line"], name["name"]
            held = [shape(value) for value in name["values"] if value["kind"] != "number"]
            names.setdefault(key, set()).update(held)
        for row in file["expressions"]:
            span = row["line"], row["column"], row["endLine"], row["endColumn"]
            calls[file["path"], span] = {shape(value) for value in row["values"]}
    known: dict[str, set[Shape]] = {}
    for (_, _, name), given in record.names.items():
        known.setdefault(name, set()).update(given)
    result = Score(names=len(record.names), calls=len(record.calls))
    for key, given in record.names.items():
        result.names_covered += key in names
        # The record does not see that a name is bound anew to what it was, as in `x += y`.
        result.names_right += _is_right(result, f"name {key}", names.get(key), given, known[key[2]])
    for key, given in record.calls.items():
        result.calls_covered += key in calls
        result.calls_right += _is_right(result, f"call {key}", calls.get(key), given, given)
    for key in names.keys() - record.names.keys():
        if not _has_all(known.get(key[2], set()), names[key]):
            result.faults.append(f"name {key} {names[key]} was never seen")
    return result


def shape(value: ShapeValue) -> Shape:
    """As the record writes it."""
    if value["kind"] == "container":
        items = [(item["key"], item["value"]) for item in value["items"] if item["value"]["kind"] != "number"]
        return (value["type"], *((key, shape(each)) for key, each in items))
    return tuple(value["sizes"])


def _is_right(
    result: Score, what: str, found: set[Shape] | None, given: set[Shape], allowed: set[Shape]
) -> bool:
    if found is not None and _has_all(found, given) and _has_all(allowed, found):
        return True
    result.faults.append(f"{what}: {sorted(map(str, found or ()))} is {sorted(map(str, given))}")
    return False


def _has_all(these: Iterable[Shape], wanted: Iterable[Shape]) -> bool:
    return all(any(_is_same(one, each) for one in these) for each in wanted)


def _is_same(left: Any, right: Any) -> bool:
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(map(_is_same, left, right))
    return left == right or ANY in (left, right)
