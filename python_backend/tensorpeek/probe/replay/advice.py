"""Why an op made what is not finite, from the values that went in, and what to do about it."""

from __future__ import annotations

import re
from typing import NamedTuple

from tensorpeek.probe.replay.values import Values
from tensorpeek.probe.replay.watch import Source
from tensorpeek.probe.tensors.line import number

LARGEST = {"f16": 65504.0, "bf16": 3.39e38, "f32": 3.40e38, "f64": 1.8e308}
_NAMES = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64"}
_LOGS = ("log", "log2", "log10")

FP16 = "Compute it in float32 (`x.float()`) or bfloat16, or scale the values down before."
ONE_ROW = "Leave out an incomplete last batch (`drop_last=True`), or use `unbiased=False`."
MASK = (
    "Leave out samples that are padding only, or let each row keep one element that is not masked.",
    "Fill with a large finite number, as `torch.finfo(x.dtype).min`, instead of −inf.",
)


class Advice(NamedTuple):
    why: str
    """Continues a sentence, as in `its input has min −0.3`."""
    next: tuple[str, ...]


def advice_on(source: Source) -> Advice:
    if source.is_backward:
        return _backward(source)
    special = _FORWARD.get(source.op)
    found = special(source) if special else None
    return found or _overflow(source) or Advice(_ranges(source), (f"Look at the inputs of `{source.op}`.",))


def _first(source: Source) -> Values | None:
    return source.inputs[0] if source.inputs else None


def _log(source: Source) -> Advice | None:
    values = _first(source)
    if values is None or values.low is None:
        return None
    lowest = -1.0 if source.op == "log1p" else 0.0
    if values.low < lowest:
        return _domain(source, values, f"`{source.op}(x.clamp(min=1e-6))`")
    if source.input_ops[:1] == ["softmax"]:
        return Advice(
            f"its input, a softmax, has min {number(values.low)}",
            ("Use `log_softmax(x)` (or `cross_entropy`) instead of `log(softmax(x))`: it cannot underflow.",),
        )
    if source.input_ops[:1] == ["sigmoid"]:
        return Advice(
            f"its input, a sigmoid, has min {number(values.low)}",
            ("Use `logsigmoid(x)` (or `binary_cross_entropy_with_logits`) instead of `log(sigmoid(x))`.",),
        )
    return Advice(
        f"its input has min {number(values.low)}",
        (f"Add an eps or clamp inside: `{source.op}(x.clamp(min=1e-8))`; for `x * log(x)`, `xlogy`.",),
    )


def _domain(source: Source, values: Values, instead: str) -> Advice:
    limits = f"max {number(values.high)}" if (values.low or 0) >= 0 else f"min {number(values.low)}"
    return Advice(f"its input has {limits}", (f"Clamp the input before the op: {instead}.",))


def _sqrt(source: Source) -> Advice | None:
    values = _first(source)
    if values is None or values.low is None or (values.low > 0 or (source.op == "sqrt" and values.low >= 0)):
        return None
    return _domain(source, values, f"`torch.{source.op}(x.clamp(min=1e-6))`")


def _arc(source: Source) -> Advice | None:
    values = _first(source)
    if values is None or values.low is None:
        return None
    return Advice(
        f"its input goes from {number(values.low)} to {number(values.high)}, beyond −1 … 1",
        (f"Clamp it: `torch.{source.op}(x.clamp(-1 + 1e-6, 1 - 1e-6))`.",),
    )


def _div(source: Source) -> Advice | None:
    divisor = source.inputs[-1] if source.inputs else None
    if source.op == "reciprocal" or (divisor is not None and len(source.inputs) > 1):
        if divisor is None or not divisor.zeros:
            return None
        of = "its only element" if divisor.size == 1 else f"{divisor.zeros} of {divisor.size} elements"
        word = "0 is divided by 0" if source.output.nan else "it divides by 0"
        return Advice(f"{word}: the divisor is 0 in {of}", ("Add an eps to the divisor: `x / (y + 1e-8)`.",))
    if 0 in source.arguments:
        return Advice("it divides by the number 0", ("Divide by `max(n, 1)`.",))
    return None


def _pow(source: Source) -> Advice | None:
    values = _first(source)
    exponent = source.arguments[-1] if source.arguments else None
    if values is None or values.low is None or exponent is None:
        return None
    if values.low < 0 and exponent != int(exponent):
        return _domain(source, values, f"`x.clamp(min=1e-6) ** {exponent}`")
    if exponent < 0 and values.zeros:
        return Advice(
            f"its input is 0 in {values.zeros} elements, the exponent is {number(exponent)}", ("Add an eps.",)
        )
    return None


def _exp(source: Source) -> Advice | None:
    values = _first(source)
    if values is None or values.high is None:
        return None
    edge = {"f16": "11.1", "f64": "709.8"}.get(values.dtype, "88.7")
    return Advice(
        f"its input has max {number(values.high)}, and {_NAMES.get(values.dtype, '')} overflows above {edge}",
        ("Clamp the input, subtract its maximum, or stay in the log domain (`logsumexp`, `softplus`).",),
    )


def _std(source: Source) -> Advice | None:
    values = _first(source)
    if values is None or not source.output.size or values.size // source.output.size > 1:
        return None
    return Advice(
        f"it is taken over a single element (input of shape {list(values.shape)}), and divides by n − 1 = 0",
        (ONE_ROW,),
    )


def _mean(source: Source) -> Advice | None:
    values = _first(source)
    if values is None or values.size:
        return None
    return Advice(
        f"it is taken over no element (input of shape {list(values.shape)})",
        ("Leave the term out when nothing is selected, or divide the sum by `max(n, 1)`.",),
    )


def _nll(source: Source) -> Advice | None:
    if not source.output.nan:
        return None
    return Advice(
        "no target counts: every one of them is `ignore_index`, so the mean is 0/0",
        ("Skip such a batch, or use `reduction='sum'` divided by `max(n, 1)`.",),
    )


def _soft(source: Source) -> Advice | None:
    if not source.after:
        return None
    rows = rows_text(source.output)
    where = f" in {rows}" if rows else " in a row"
    return Advice(f"all of its inputs are −inf{where}: the mask covers everything", MASK)


def _to(source: Source) -> Advice | None:
    values = _first(source)
    limit = LARGEST.get(source.output.dtype)
    if values is None or limit is None:
        return None
    return Advice(
        f"the value {number(values.reach)} is beyond {number(limit)}, the largest "
        f"{_NAMES[source.output.dtype]}",
        (FP16,),
    )


_FORWARD = {
    **dict.fromkeys((*_LOGS, "log1p", "xlogy"), _log),
    **dict.fromkeys(("sqrt", "rsqrt"), _sqrt),
    **dict.fromkeys(("acos", "asin", "atanh", "arccos", "arcsin"), _arc),
    **dict.fromkeys(("div", "reciprocal"), _div),
    **dict.fromkeys(("exp", "expm1", "sinh", "cosh"), _exp),
    **dict.fromkeys(("std", "var"), _std),
    **dict.fromkeys(("softmax", "log_softmax", "logsumexp", "scaled_dot_product_attention"), _soft),
    "pow": _pow,
    "mean": _mean,
    "nll_loss": _nll,
    "to": _to,
}


def _overflow(source: Source) -> Advice | None:
    """The result is too large for its dtype."""
    if source.output.nan or not source.inputs:
        return None
    limit = LARGEST.get(source.output.dtype)
    reach = max(values.reach for values in source.inputs)
    if limit is None:
        return None
    name = _NAMES[source.output.dtype]
    advice = FP16 if source.output.dtype == "f16" else "Scale the values down, or clip the gradients earlier."
    return Advice(
        f"its input reaches {number(reach)}, and the result is beyond {number(limit)}, the largest {name}",
        (advice,),
    )


def _ranges(source: Source) -> str:
    if not source.inputs or source.inputs[0].low is None:
        return "its inputs are finite"
    values = source.inputs[0]
    return f"its input has min {number(values.low)} and max {number(values.high)}"


def _backward(source: Source) -> Advice:
    """The value of the op is finite and its derivative is not."""
    op = source.op
    if source.output.dtype == "f16":
        return Advice("its gradient is beyond 65504, the largest float16", ("Use a `GradScaler`.", FP16))
    if op in ("sqrt", "pow", "norm", "cdist", "rsqrt"):
        where = rows_text(source.output)
        return Advice(
            f"the derivative of `{op}` at 0 is infinite, and its input is 0"
            + (f" in {where}" if where else ""),
            (f"Add an eps inside: `{_inside(op)}`.",),
        )
    if op in ("std", "var"):
        return Advice(f"all values under `{op}` are equal, where its derivative is 0/0", ("Add an eps.",))
    if op in ("acos", "asin", "atanh"):
        return Advice(
            f"the derivative of `{op}` at ±1 is infinite", ("Clamp to −1 + 1e-6 … 1 − 1e-6 before.",)
        )
    if op in (*_LOGS, "log1p", "div", "reciprocal"):
        return Advice(f"the derivative of `{op}` at 0 is infinite", ("Add an eps to the input or divisor.",))
    return Advice(
        f"the derivative of `{op}` is not finite for these inputs", (f"Look at the inputs of `{op}`.",)
    )


def _inside(op: str) -> str:
    return {"sqrt": "torch.sqrt(x + 1e-12)", "pow": "(x + 1e-12) ** p"}.get(
        op, "(x.pow(2).sum(-1) + 1e-12).sqrt()"
    )


def rows_text(values: Values, rows: list[int] | None = None) -> str:
    """`row 3`, `rows 1, 4 and 5`, `all 64 rows`; empty without rows."""
    rows = values.bad_rows if rows is None else rows
    if not rows or not values.shape:
        return ""
    if len(rows) == 1 and values.shape[0] > 1:
        return f"row {rows[0]}"
    if len(rows) == values.shape[0]:
        return f"all {len(rows)} rows" if len(rows) > 1 else ""
    if len(rows) > 4:
        return f"rows {', '.join(map(str, rows[:3]))} and more"
    return re.sub(r", (\d+)$", r" and \1", f"rows {', '.join(map(str, rows))}")
