"""Lists, tuples, dicts, sets, dataclasses, HF-style outputs: what is inside, its bytes, the worst of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any

from tensorpeek.contract.messages import Presentation, PresentationKind
from tensorpeek.contract.quantities import bytes_text
from tensorpeek.probe import pydevd_access, raw, reach
from tensorpeek.probe.kinds.health import HealthScan, Patient, with_alarm
from tensorpeek.probe.kinds.index_groups import GROUP, index_groups
from tensorpeek.probe.kinds.kind import Child
from tensorpeek.probe.kinds.ndarray import plain
from tensorpeek.probe.kinds.rows import all_attributes
from tensorpeek.probe.presentation import present
from tensorpeek.probe.shorthand import container_shorthand
from tensorpeek.probe.statistics import scan_array, scan_tensor
from tensorpeek.probe.tensors.facts import tensor_facts
from tensorpeek.probe.types_map import TypeMap

MOST_LOOKED_AT = 400
"""Parts that are looked at to find out what is inside."""
DEEPEST = 4


@dataclass
class Survey:
    """What was found inside a container."""

    patients: list[Patient] = field(default_factory=list)
    bytes: int = 0
    looked_at: int = 0
    whole: bool = True
    """Whether every part was looked at."""
    special: bool = False
    """Whether anything is inside that a plain text shows badly."""


class ContainerKind:
    """Containers of anything; those of plain values keep pydevd's text."""

    presentation_kind: PresentationKind = "container"

    def matches(self, cls: type) -> bool:
        return reach.is_container(cls)

    def scan(self, value: Any) -> HealthScan | None:
        found = survey(value)
        return HealthScan(found.patients, found) if found.patients else None

    def present(self, value: Any, scan: HealthScan | None) -> Presentation | None:
        found: Survey = survey(value) if scan is None else scan.found
        if not found.special:
            return None
        text = container_shorthand(value)
        if found.bytes:
            text += f" {'' if found.whole else '≥'}{bytes_text(found.bytes)}"
        alarm, text = with_alarm(text, scan)
        return present(text, self.presentation_kind, alarm=alarm)

    def children(self, value: Any) -> list[Child]:
        if reach.field_names(value) is not None:
            return [*grouped_parts(value), all_attributes(value)]
        rows = [*item_rows(value), Child("len()", reach.size(value), lambda parent: f"len({parent})")]
        return rows if raw.exactly(value, *reach.BUILTINS) else [*rows, all_attributes(value)]


def item_rows(value: Any) -> list[Child]:
    """The items alone. Few have the names that pydevd gives them, by which it also sets those of a set."""
    count = reach.size(value)
    if count > GROUP:
        return grouped_parts(value)
    if raw.derives(value, set, frozenset):
        entries = pydevd_access.plain_children(value)
        return [Child(name, item) for name, item, evaluate in entries if evaluate is None]
    rows = part_list(value, 0, count)
    if raw.derives(reach.unwrapped(value), dict):
        return rows
    width = len(str(count - 1))
    return [Child(f"{at:0{width}}", row.value, row.evaluate) for at, row in enumerate(rows)]


def grouped_parts(value: Any) -> list[Child]:
    return index_groups(reach.size(value), partial(part_list, value))


def part_list(container: Any, start: int, stop: int) -> list[Child]:
    return list(reach.parts(container, start, stop))


def survey(container: Any) -> Survey:
    """Looks at the first parts, and at the parts of those that are containers, each once."""
    found = Survey()
    look_inside(container, "", 0, found, {id(container)})
    return found


def look_inside(container: Any, where: str, depth: int, found: Survey, seen: set[int]) -> None:
    for part in reach.parts(container):
        if found.looked_at == MOST_LOOKED_AT:
            found.whole = False
            return
        found.looked_at += 1
        sort = sort_of(raw.class_of(part.value))
        if not sort or id(part.value) in seen:
            continue
        seen.add(id(part.value))
        place = where + (part.evaluate if isinstance(part.evaluate, str) else f"[{part.name}]")
        if sort == "container":
            if depth < DEEPEST:
                look_inside(part.value, place, depth + 1, found, seen)
            continue
        found.special = True
        if sort == "tensor":
            facts = tensor_facts(part.value)
            found.bytes += facts.bytes
            if not facts.why_no_data:
                found.patients.append(Patient(place, facts.size, partial(scan_tensor, part.value)))
        elif sort == "array":
            array = plain(part.value)
            found.bytes += array.nbytes
            if array.dtype.kind in "fc":
                found.patients.append(Patient(place, array.size, partial(scan_array, array)))


_sorts: TypeMap[str] = TypeMap()


def sort_of(cls: type) -> str:
    """`tensor`, `array`, `container`; `special` if a plain text shows it badly otherwise; else empty."""
    known = _sorts.get(cls)
    if known is None:
        if raw.is_a(cls, "torch.Tensor"):
            known = "tensor"
        elif raw.is_a(cls, "numpy.ndarray"):
            known = "array"
        elif reach.is_container(cls):
            known = "container"
        elif raw.is_module(cls) or raw.is_optimizer(cls) or raw.module_name(cls).startswith("pandas"):
            known = "special"
        else:
            known = ""
        _sorts.set(cls, known)
    return known
