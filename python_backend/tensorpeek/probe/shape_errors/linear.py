"""A Linear layer, or a product of two matrices, whose inner dimensions differ."""

from __future__ import annotations

import ast
import re
from typing import Any

from tensorpeek.probe.shape_errors.explanation import (
    Explanation,
    Operand,
    attached,
    product,
)
from tensorpeek.probe.shape_errors.failing import Failing
from tensorpeek.probe.shape_errors.layer_words import at_line, described, fixed_layer
from tensorpeek.probe.shape_errors.operands import input_of, parts
from tensorpeek.probe.shape_errors.way import merged_from
from tensorpeek.probe.training import source
from tensorpeek.probe.training.user_values import is_tensor

WORDS = re.compile(
    r"mat1 and mat2 shapes cannot be multiplied \((\d+)x(\d+) and (\d+)x(\d+)\)"
    r"|Expected size for first two dimensions of batch2 tensor to be: \[([\d, ]+)\] but got: \[([\d, ]+)\]"
    r"|size mismatch, got input|inconsistent tensor size, expected tensor|must be a matrix"
    r"|must be a 3D tensor|same reduction dim|vector, got|tensors? expected, but got|batch1 and batch2 must"
)


def explain(found: Failing) -> Explanation | None:
    if not WORDS.search(found.text):
        return None
    module = found.module
    if module is not None and type(module).__name__ in ("Linear", "NonDynamicallyQuantizableLinear"):
        given = found.given("forward", "input")
        if given is not None and is_tensor(given[0]):
            return _linear(found, module, given[0])
    operands = parts(found)
    if source.called(found.node) == "linear" if isinstance(found.node, ast.Call) else False:
        return _product(found, operands[:2], is_linear=True) if len(operands) >= 2 else None
    matrices = [each for each in operands if each.value.dim() >= 1]
    if len(matrices) >= 3 and found.called() in ("addmm", "baddbmm"):
        matrices = matrices[-2:]
    return _product(found, matrices[:2]) if len(matrices) >= 2 else None


def _linear(found: Failing, module: Any, value: Any) -> Explanation:
    wanted, layer = int(module.in_features), described(found, module)
    x = input_of(found, value)
    shape = x.shape
    before, factors = merged_from(value)
    merged = f" = {factors} of {before}" if factors else ""
    message = f"{layer} takes {wanted} features, but {x.named} has {shape[-1] if shape else 'none'}{merged}."
    advice: list[str] = []
    name = x.text
    if len(shape) == 1 and before and before[0] > 1 and product(before[1:]) == wanted:
        message += f" The view of {before} has merged the batch of {before[0]} with the features."
        advice.append("Keep the batch: flatten(1) instead of flatten(), or view(x.size(0), -1).")
    elif len(shape) == 1 and wanted == 1:
        message += " A batch of numbers needs a dimension of features."
        advice.append(attached(name, ".unsqueeze(-1)"))
    elif len(shape) == 1 and shape[0] % wanted == 0:
        message += (
            f" It has one dimension, with {shape[0] // wanted} times as many numbers: is the batch in it?"
        )
        advice.append("Keep the batch: flatten(1) instead of flatten().")
    elif (start := _start_of(shape, wanted)) is not None:
        rest = shape[start:]
        message += f" Its dimensions {rest} together have {wanted}: they are not flattened."
        advice.append(attached(name, f".flatten({start})") + ", or nn.Flatten() before the layer")
    elif wanted in shape[1:-1]:
        position = shape.index(wanted, 1)
        message += f" Dimension {position} has {wanted}."
        if len(shape) == 4 and position == 1:
            advice.append(f"{attached(name, '.mean((2, 3))')} to pool each channel, or permute(0, 2, 3, 1)")
        else:
            advice.append(attached(name, f".transpose({position}, {len(shape) - 1})"))
    elif len(shape) == 2 and shape[0] == wanted:
        message += " Its first dimension has: rows and columns are exchanged."
        advice.append(attached(name, ".T"))
    elif before and len(shape) == 2 and before[0] != shape[0] and product(before[1:]) != shape[-1]:
        message += f" The view has made {shape[0]} rows of a batch of {before[0]}."
        advice.append("Keep the batch: flatten(1), or view(x.size(0), -1).")
    if not advice or len(shape) == 2:
        advice += fixed_layer(found, module, "in_features", shape[-1]) if shape else []
    return Explanation(
        "Linear gets a wrong size",
        message,
        advice,
        [x],
        related=at_line(found, module),
    )


def _start_of(shape: list[int], wanted: int) -> int | None:
    """The dimension from which on all together have the size."""
    for start in range(1, len(shape) - 1):
        if product(shape[start:]) == wanted:
            return start
    return None


def _product(found: Failing, operands: list[Operand], *, is_linear: bool = False) -> Explanation:
    a, b = operands
    left, right = a.shape, b.shape
    what = f"{a.named} and {b.named} can't be multiplied"
    advice: list[str] = []
    if is_linear:
        return Explanation(
            "Linear gets a wrong size",
            f"F.linear multiplies by the transposed weight: {a.named} has {left[-1:]} features, "
            f"{b.named} takes {right[-1:]}.",
            [f"Give the weight the shape [out, {left[-1]}]."] if left else [],
            [a, b],
        )
    if len(left) == 1 and len(right) == 1:
        return Explanation(
            "Vectors of different length", f"{what}: {left[0]} numbers and {right[0]}.", [], [a, b]
        )
    if found.called() in ("mm", "addmm", "bmm", "baddbmm", "mv") and len(left) != len(right):
        return Explanation(
            "Wrong number of dimensions",
            f"{what} by {found.called()}(), which takes no batch dimensions but its own: {len(left)} and "
            f"{len(right)} dimensions.",
            [f"torch.matmul({a.text}, {b.text}) takes any number of them"],
            [a, b],
        )
    inner, own = left[-1], right[-2] if len(right) > 1 else right[0]
    if inner != own:
        which = "second last" if len(right) > 1 else "only"
        message = (
            f"{what}: the last dimension of the first is {inner}, the {which} one of the second is {own}."
        )
        if len(right) > 1 and right[-1] == inner:
            turned = ".T" if len(right) == 2 else ".transpose(-2, -1)"
            advice.append(f"{a.text} @ {attached(b.text, turned)}")
        if len(left) > 1 and left[-2] == own:
            turned = ".T" if len(left) == 2 else ".transpose(-2, -1)"
            advice.append(f"{attached(a.text, turned)} @ {b.text}")
        if len(right) > 1 and len(left) > 1 and right[-1] == left[-2] and not advice:
            advice.append(f"{b.text} @ {a.text}")
        title = "Matrices do not fit"
    else:
        message = f"{what}: they are batches of {left[:-2]} and {right[:-2]} matrices."
        title = "Batches do not fit"
    if not advice and len(left) == len(right) >= 3:
        advice += exchanged(a, b)
    return Explanation(title, message, advice, [a, b])


def exchanged(a: Operand, b: Operand) -> list[str]:
    """Two dimensions of the second that fit when they change places."""
    left, right = a.shape, b.shape
    if len(left) != len(right):
        return []
    for one in range(1, len(right) - 1):
        for other in range(one + 1, len(right)):
            turned = [*right]
            turned[one], turned[other] = turned[other], turned[one]
            if turned[:-2] == left[:-2] and turned[-2] == left[-1]:
                return [attached(b.text, f".transpose({one}, {other})")]
    return []
