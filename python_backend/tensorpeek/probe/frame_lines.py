"""Short texts of names in a paused frame, for the ends of the lines that use them."""

from __future__ import annotations

import types
from typing import Any

from tensorpeek.probe import raw, reach
from tensorpeek.probe.budget import Deadline
from tensorpeek.probe.kinds.health import badness
from tensorpeek.probe.shorthand import shorthand
from tensorpeek.probe.statistics import Scan, Statistics, scan_array, scan_tensor
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
    is_tensor, is_array = raw.is_a(cls, "torch.Tensor"), raw.is_a(cls, "numpy.ndarray")
    if not (is_tensor or is_array or reach.is_container(cls) or raw.exactly(value, *LITERALS)):
        return ""
    text = shorthand(value)
    if not (is_tensor or is_array):
        return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
    found = alarm_in(scan_tensor(value) if is_tensor else scan_array(value), deadline)
    return f"{found} {text}".strip().replace(",", ", ")


def alarm_in(scan: Scan | None, deadline: Deadline) -> str:
    if scan is None or deadline.expired:
        return ""
    scan.advance(deadline)
    return worth_saying(scan.statistics)


def worth_saying(statistics: Statistics) -> str:
    """NaN, Inf and huge; of one number, the number itself says it."""
    if statistics.count == 1 or (badness(statistics) == (0, 0) and not statistics.exact):
        return ""
    return alarm(statistics)
