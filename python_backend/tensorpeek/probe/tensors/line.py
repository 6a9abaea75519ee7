"""The line of a tensor: the alarm, then dtype and shape, then range, then the rest."""

from __future__ import annotations

import math

from tensorpeek.probe.statistics.accumulator import (
    NAN,
    NEGATIVE_INFINITE,
    POSITIVE_INFINITE,
    Real,
    Statistics,
)
from tensorpeek.probe.tensors.facts import TensorFacts

MINUS = "−"


def number(value: Real | None, digits: int = 3) -> str:
    """A number with a real minus sign in a few significant digits, whole ones in full up to twelve."""
    if value is None:
        return "–"
    if value != value:
        return NAN
    if value in (math.inf, -math.inf):
        return POSITIVE_INFINITE if value > 0 else NEGATIVE_INFINITE
    if isinstance(value, int) and abs(value) < 10**12:
        text = str(value)
    elif 1000 <= abs(value) < 1e6:
        text = f"{value:.0f}"
    else:
        text = f"{value:.{digits}g}"
        mantissa, e, exponent = text.partition("e")
        if e:
            text = f"{mantissa}e{int(exponent)}"
    return text.replace("-", MINUS)


def head(facts: TensorFacts) -> str:
    """Dtype and shape, as in `f32[64, 10]` without the spaces; the dtype alone for a 0-d tensor."""
    if not facts.shape:
        return facts.dtype
    return f"{facts.dtype}[{','.join(map(str, facts.shape))}]"


def alarm(facts: TensorFacts, statistics: Statistics | None) -> str:
    """What deserves a look, in a few characters; empty when nothing does."""
    if statistics is None:
        return ""
    at_least = "" if statistics.exact else "≥"
    found = [
        f"{name} {at_least}{count}"
        for name, count in (
            (NAN, statistics.nan),
            (POSITIVE_INFINITE, statistics.positive_infinite),
            (NEGATIVE_INFINITE, statistics.negative_infinite),
        )
        if count
    ]
    low = statistics.minimum
    all_equal = low == statistics.maximum and statistics.count == statistics.finite > 1
    if all_equal and facts.dtype != "bool":
        found.append("all 0" if low == 0 else f"all = {number(low)}")
    if statistics.huge:
        found.append("huge")
    if statistics.denormal:
        found.append("denormal")
    return " ".join(found)


def tensor_line(facts: TensorFacts, statistics: Statistics | None) -> tuple[str, str]:
    """The alarm, empty when healthy, and the whole line, which begins with it."""
    alarm_text = alarm(facts, statistics)
    parts: list[str] = [alarm_text] if alarm_text else []
    parts.append(head(facts))
    if statistics is not None:
        parts.extend(_numbers(facts, statistics))
    if facts.layout != "strided":
        parts.append(facts.layout)
    if facts.device not in ("", "cpu", "meta"):
        parts.append(facts.device)
    parts.extend(facts.flags)
    if statistics is not None and statistics.problem:
        parts.append(f"({statistics.problem})")
    if facts.why_no_data and facts.why_no_data != facts.device.partition(":")[0]:
        parts.append(f"({facts.why_no_data})")
    elif facts.why_no_data == "meta":
        parts.append("meta")
    return alarm_text, " ".join(parts)


def _numbers(facts: TensorFacts, statistics: Statistics) -> list[str]:
    if not statistics.count:
        return ["empty"]
    if not statistics.exact:
        return _partial(statistics)
    low, high = statistics.minimum, statistics.maximum
    if low is None or high is None:
        return []
    if facts.dtype == "bool":
        if not facts.shape:
            return [str(bool(high))]
        return [f"{statistics.count - statistics.zeros} true"]
    if statistics.count == 1:
        return [number(low, 4)]
    if low == high:
        # All of them, which the alarm says, or all but those that the alarm counts.
        return [] if statistics.count == statistics.finite else [f"else {number(low)}"]
    parts = [f"{number(low)}…{number(high)}", f"μ{number(statistics.mean)}"]
    if statistics.std is not None and isinstance(low, float):
        parts.append(f"σ{number(statistics.std)}")
    if facts.parts > 1:
        parts.insert(0, "re,im")
    return parts


def _partial(statistics: Statistics) -> list[str]:
    if not statistics.seen:
        return []
    share = 100 * statistics.seen / statistics.count
    parts = [f"seen {share:.2g} %"]
    if statistics.minimum is not None:
        parts.append(f"min ≤ {number(statistics.minimum)}")
        parts.append(f"max ≥ {number(statistics.maximum)}")
        parts.append(f"μ≈{number(statistics.mean)}")
    return parts


def statistics_rows(statistics: Statistics) -> list[tuple[str, str]]:
    """Every number with its name, for the rows under `stats`."""
    exact = statistics.exact
    rows: list[tuple[str, str]] = []
    if not exact:
        rows.append(("seen", f"{100 * statistics.seen / statistics.count:.2g} % of {statistics.count:,}"))
    rows.append(("min", ("" if exact else "≤ ") + precise(statistics.minimum)))
    rows.append(("max", ("" if exact else "≥ ") + precise(statistics.maximum)))
    rows.append(("mean", ("" if exact else "≈ ") + precise(statistics.mean)))
    rows.append(("std", ("" if exact else "≈ ") + precise(statistics.std)))
    for name, count in (
        (NAN, statistics.nan),
        (POSITIVE_INFINITE, statistics.positive_infinite),
        (NEGATIVE_INFINITE, statistics.negative_infinite),
        ("zeros", statistics.zeros),
    ):
        text = ("" if exact else "≥ ") + f"{count:,}"
        if count:
            text += f" ({_share(count, statistics.seen)})"
        places = statistics.offenders.get(name)
        if places:
            more = "…" if count > len(places) else ""
            text += " at " + ", ".join(_place(place) for place in places) + more
        rows.append((name, text))
    return rows


def precise(value: Real | None) -> str:
    """A number in up to eight significant digits; whole ones in full."""
    if value is None:
        return "–"
    text = str(value) if isinstance(value, int) else f"{value:.8g}"
    return text.replace("-", MINUS)


def _share(count: int, of: int) -> str:
    return f"{100 * count / of:.3g} %"


def _place(index: tuple[int, ...]) -> str:
    return f"[{', '.join(map(str, index))}]"
