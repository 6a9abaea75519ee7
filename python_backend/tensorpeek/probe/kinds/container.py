"""Lists, tuples, dicts, sets, dataclasses, HF-style outputs: what is inside, its bytes, the worst of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any

from tensorpeek.contract.messages import Presentation, PresentationKind
from tensorpeek.probe import raw, reach
from tensorpeek.probe.kinds.health import HealthScan, Patient, with_alarm
from tensorpeek.probe.kinds.index_groups import index_groups
from tensorpeek.probe.kinds.kind import Child
from tensorpeek.probe.kinds.rows import all_attributes
from tensorpeek.probe.presentation import present
from tensorpeek.probe.quantities import bytes_text
from tensorpeek.probe.shorthand import container_shorthand
from tensorpeek.probe.statistics import scan_array, scan_tensor
from tensorpeek.probe.tensors.facts import tensor_facts

MOST_LOOKED_AT = 400
"""Parts that are looked at to find out what is inside."""
DEEPEST = 4
FEW = 100
"""Up to so many parts pydevd's own rows do."""


@dataclass
class Survey:
    """What was found inside a container."""

    patients: list[Patient] = field(default_factory=list)
    bytes: int = 0
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
        patients = survey(value).patients
        return HealthScan(patients) if patients else None

    def present(self, value: Any, scan: HealthScan | None) -> Presentation | None:
        found = survey(value)
        if not found.special:
            return None
        text = container_shorthand(value)
        if found.bytes:
            text += f" {'' if found.whole else '≥'}{bytes_text(found.bytes)}"
        alarm, text = with_alarm(text, scan)
        return present(text, self.presentation_kind, alarm=alarm)

    def children(self, value: Any) -> list[Child] | None:
        count = reach.size(value)
        named = reach.field_names(value) is not None
        if count <= FEW and not named:
            return None
        return [*index_groups(count, partial(part_list, value)), all_attributes(value)]


def part_list(container: Any, start: int, stop: int) -> list[Child]:
    return list(reach.parts(container, start, stop))


def survey(container: Any) -> Survey:
    """Looks at the first parts, and at the parts of those."""
    found = Survey()
    for looked_at, (where, value) in enumerate(inside(container, "", 0, {id(container)})):
        if looked_at == MOST_LOOKED_AT:
            found.whole = False
            break
        cls = type(value)
        if raw.is_a(cls, "torch.Tensor"):
            facts = tensor_facts(value)
            found.special = True
            found.bytes += facts.bytes
            if not facts.why_no_data:
                found.patients.append(Patient(where, facts.size, partial(scan_tensor, value)))
        elif raw.is_a(cls, "numpy.ndarray"):
            found.special = True
            found.bytes += value.nbytes
            if value.dtype.kind in "fc":
                found.patients.append(Patient(where, value.size, partial(scan_array, value)))
        elif raw.is_module(cls) or raw.is_optimizer(cls) or raw.module_name(cls).startswith("pandas"):
            found.special = True
    return found


def inside(container: Any, where: str, depth: int, seen: set[int]) -> Iterator[tuple[str, Any]]:
    """Every part once, and the parts of parts that are containers, as deep as DEEPEST."""
    for part in islice(reach.parts(container), MOST_LOOKED_AT + 1):
        if id(part.value) in seen:
            continue
        place = where + (part.evaluate if isinstance(part.evaluate, str) else f"[{part.name}]")
        yield place, part.value
        if reach.is_container(type(part.value)):
            seen.add(id(part.value))
            if depth < DEEPEST:
                yield from inside(part.value, place, depth + 1, seen)
        elif raw.is_a(type(part.value), "torch.Tensor", "numpy.ndarray"):
            seen.add(id(part.value))
