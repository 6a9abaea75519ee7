"""Short texts of names in a paused frame, for the ends of the lines that use them."""

from __future__ import annotations

import types
from typing import Any

from tensorpeek.probe import raw, reach
from tensorpeek.probe.budget import Deadline
from tensorpeek.probe.kinds.health import badness
from tensorpeek.probe.kinds.ndarray import array_facts, plain
from tensorpeek.probe.shorthand import shorthand
from tensorpeek.probe.statistics import scan_array, scan_tensor
from tensorpeek.probe.statistics.tensor_scan import AnyScan
from tensorpeek.probe.tensors.facts import TensorFacts, tensor_facts
from tensorpeek.probe.tensors.line import alarm

LITERALS = (bool, int, float, complex, str, type(None))
LONGEST = 60


def frame_lines(frame: types.FrameType, expressions: list[str], deadline: Deadline) -> list[str]:
    """One text per dotted name, empty where there is nothing to show. Runs no property and no call."""
    local, global_ = frame.f_locals, frame.f_globals
    texts: dict[str, str] = {}
    for expression in expressions:
        if expression not in texts:
            try:
                texts[expression] = text_of(resolve(expression, local, global_), deadline)
            except Exception:  # noqa: BLE001 - a hostile value has no text, the others keep theirs
                texts[expression] = ""
    return [texts[expression] for expression in expressions]


def resolve(expression: str, local: Any, global_: Any) -> Any:
    """The value of a dotted name by look-ups alone, MISSING where that does not lead to it."""
    first, *rest = expression.split(".")
    value = local[first] if first in local else global_.get(first, raw.MISSING)
    for name in rest:
        if value is raw.MISSING:
            break
        value = raw.attribute(value, name)
    return value


def text_of(value: Any, deadline: Deadline) -> str:
    """The alarm if one is found in time, then the shorthand: `NaN 3 f32[64, 10]`."""
    cls = raw.class_of(value)
    if raw.is_a(cls, "torch.Tensor"):
        found = alarm_in(tensor_facts(value), scan_tensor(value), deadline)
    elif raw.is_a(cls, "numpy.ndarray"):
        array = plain(value)
        found = alarm_in(array_facts(value, array), scan_array(array), deadline)
    elif reach.is_container(cls) or raw.exactly(value, *LITERALS):
        text = shorthand(value)
        return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
    else:
        return ""
    return f"{found} {shorthand(value)}".strip().replace(",", ", ")


def alarm_in(facts: TensorFacts, scan: AnyScan | None, deadline: Deadline) -> str:
    """Of one number, the number itself says it; of a part, only what no other part can take back."""
    if scan is None or deadline.expired:
        return ""
    scan.advance(deadline)
    known = scan.statistics
    if known.count == 1 or (badness(known) == (0, 0) and not known.exact):
        return ""
    return alarm(facts, known)
