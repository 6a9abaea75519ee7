"""Losses: classes at another place than dimension 1, targets of another shape, labels without a class."""

from __future__ import annotations

import ast
import re
from typing import Any

from tensorpeek.probe.shape_errors.batches import Sizes, smaller_batch
from tensorpeek.probe.shape_errors.explanation import Explanation, Operand, attached, product
from tensorpeek.probe.shape_errors.failing import Failing
from tensorpeek.probe.shape_errors.operands import argument_operand
from tensorpeek.probe.shape_errors.tables import wrong_numbers
from tensorpeek.probe.training import source
from tensorpeek.probe.training.user_values import is_tensor

CLASSIFYING = ("cross_entropy", "nll_loss")
WORDS = re.compile(
    r"Expected target size|Expected input batch_size|multi-target not supported|class probabilities"
    r"|only batches of spatial targets supported|input and target batch or spatial sizes don't match"
    r"|weight tensor should be defined|size mismatch \(got input|Expected \d+ or more dimensions"
    r"|Target -?\d+ is out of bounds|target batch_size|inconsistent target size"
)
OF_ONE_SAMPLE = re.compile(r"size mismatch \(got input: \[(\d+)\], target: \[1\]\)")
OUT = re.compile(r"Target (-?\d+) is out of bounds")
PAIRING = (
    *("binary_cross_entropy_with_logits", "binary_cross_entropy", "mse_loss", "l1_loss", "smooth_l1_loss"),
    *("huber_loss", "kl_div", "gaussian_nll_loss", "poisson_nll_loss", "soft_margin_loss"),
)
"""Losses whose target has the shape of the input."""


def explain_classes(found: Failing, sizes: Sizes) -> Explanation | None:
    if not WORDS.search(found.text):
        return None
    given = next(
        (each for name in CLASSIFYING if (each := found.given(name, "input", "target", "ignore_index"))), None
    )
    if given is None or not is_tensor(given[0]) or not is_tensor(given[1]):
        return None
    logits = argument_operand(found, given[0], 0, "input")
    target = argument_operand(found, given[1], 1, "target")
    out, wanted = logits.shape, target.shape
    if OUT.search(found.text) and out:
        return _labels(logits, target, given[2])
    if "weight tensor should be defined" in found.text and len(out) > 1:
        return _weights(found, logits)
    message = f"The loss gets {logits.named} and {target.named}."
    advice: list[str] = []
    if wanted == out[:-1] and len(out) > 2:
        message += " Its classes have to be in dimension 1, not in the last one: "
        message += f"[N, {out[-1]}, {_axes(out[1:-1])}]."
        turned = ".transpose(1, 2)" if len(out) == 3 else ".movedim(-1, 1)"
        advice += [
            attached(logits.text, turned),
            f"or one row per label: {attached(logits.text, f'.flatten(0, {len(out) - 2})')}, "
            f"{attached(target.text, '.flatten()')}",
        ]
    elif wanted == out and "class probabilities" in found.text:
        message += " A target of the logits' shape holds probabilities, which are floats."
        advice += [
            f"{attached(target.text, '.argmax(1)')} for class numbers",
            f"{attached(target.text, '.float()')} for probabilities",
        ]
    elif len(wanted) == len(out) and len(wanted) > 1 and wanted[1] == 1 and out[2:] == wanted[2:]:
        message += " Class numbers have no dimension of classes: its dimension 1 is one too many."
        advice.append(attached(target.text, ".squeeze(1)"))
    elif wanted == out:
        message += " It looks one-hot; class numbers have one dimension less."
        advice.append(attached(target.text, ".argmax(1)"))
    elif len(out) == 1 and len(wanted) == 1 and wanted[0] != out[0]:
        message += " Logits of one dimension are those of one sample."
        advice.append(attached(logits.text, ".unsqueeze(0)"))
    elif len(out) == 2 and len(wanted) == 1:
        message += f" They have {out[0]} rows and {wanted[0]} labels."
        advice += _rows(found, sizes, logits, target)
    elif len(out) == 2 and product(wanted) == out[0]:
        message += f" The logits are flattened to {out[0]} rows, the labels are not."
        advice.append(attached(target.text, ".flatten()"))
    elif len(out) >= 3:
        message += f" Behind the classes their sizes are {out[2:]} and {wanted[1:]}."
        if len(out) == 4 and len(wanted) == 3:
            advice.append(f"F.interpolate({logits.text}, size={attached(target.text, '.shape[1:]')})")
    return Explanation("Target of a wrong shape", message, advice, [logits, target])


def explain_backward(found: Failing, sizes: Sizes) -> Explanation | None:
    """One sample without its dimension of the batch, whose loss torch computes and can't go back through."""
    shapes = OF_ONE_SAMPLE.search(found.text)
    if shapes is None or found.called() != "backward" or not isinstance(found.node, ast.Call):
        return None
    name = source.text(found.node.func).rpartition(".")[0]
    made = source.last_assignment(found.frame, name)
    small = smaller_batch(found, sizes, 1)
    return Explanation(
        "Target of a wrong shape",
        f"`{name}` was computed of logits [{shapes[1]}] and a target [1]: logits of one dimension are those "
        f"of one sample without a batch, and their target has none either.{f' {small[0]}' if small else ''} "
        "A squeeze() without a dimension drops that of a batch of 1.",
        [
            "squeeze(1), with the number of the dimension that is meant",
            *([f"or {small[1]}"] if small else []),
        ],
        place=made,
    )


def _weights(found: Failing, logits: Operand) -> Explanation:
    given = next((each for name in CLASSIFYING if (each := found.given(name, "weight"))), None)
    said = f", and a weight for {given[0].shape[0]}" if given is not None and is_tensor(given[0]) else ""
    return Explanation(
        "Weights of other classes",
        f"The loss gets {logits.named} with {logits.shape[1]} classes{said}: each class needs its weight.",
        [f"A weight of {logits.shape[1]} numbers."],
        [logits],
    )


def _axes(sizes: list[int]) -> str:
    return ", ".join(map(str, sizes))


def _labels(logits: Operand, target: Operand, ignored: Any) -> Explanation | None:
    classes = logits.shape[1] if len(logits.shape) > 1 else logits.shape[0]
    said, lowest, highest = wrong_numbers(target.value, classes, ignored if type(ignored) is int else None)
    if not said:
        return None
    message = f"{logits.named} has {classes} classes, 0..{classes - 1}, but {target.named} {said}"
    message += f"; its labels are {lowest}..{highest}."
    if lowest == 1 and highest == classes:
        message += " They are counted from 1."
        advice = [f"{target.text} - 1"]
    elif highest in (255, 254) or lowest < 0:
        void = lowest if lowest < 0 else highest
        message += f" {void} looks like a label for what does not count."
        advice = [f"ignore_index={void}"]
    else:
        advice = [f"{highest + 1} classes for the last layer, or labels below {classes}"]
    return Explanation("Label without a class", message, advice, [logits, target])


def _rows(found: Failing, sizes: Sizes, logits: Operand, target: Operand) -> list[str]:
    out, wanted = logits.shape[0], target.shape[0]
    small = smaller_batch(found, sizes, min(out, wanted))
    if small is not None and max(out, wanted) != min(out, wanted):
        return [f"{small[0]} One of the two keeps the old size.", small[1]]
    if wanted and out > wanted and out % wanted == 0:
        return [f"There are {out // wanted} rows per label: a view has merged a dimension into the batch."]
    if out and wanted > out and wanted % out == 0:
        return [
            f"There are {wanted // out} labels per row: the model has reduced a dimension that they have."
        ]
    return ["Cut both at the same positions, and flatten both the same way."]


def explain_exchanged(found: Failing) -> Explanation | None:
    """`cross_entropy(labels, logits)`, which torch refuses for a dtype."""
    given = next((each for name in CLASSIFYING if (each := found.given(name, "input", "target"))), None)
    if given is None or not all(map(is_tensor, given)):
        return None
    if given[0].dtype.is_floating_point or not given[1].dtype.is_floating_point:
        return None
    first = argument_operand(found, given[0], 0, "input")
    second = argument_operand(found, given[1], 1, "target")
    return Explanation(
        "Arguments exchanged",
        f"The loss takes logits first and labels second, but gets whole numbers {first.named} first and "
        f"{second.named} second.",
        [f"{found.called() or 'loss'}({second.text}, {first.text})"],
        [first, second],
    )


def explain_paired(found: Failing, sizes: Sizes) -> Explanation | None:
    """Input and target of one shape are wanted: (N, 1) and (N,), mostly."""
    given = next((each for name in PAIRING if (each := found.given(name, "input", "target"))), None)
    if given is None or not all(map(is_tensor, given)) or given[0].shape == given[1].shape:
        return None
    out = argument_operand(found, given[0], 0, "input")
    target = argument_operand(found, given[1], 1, "target")
    message = f"The loss compares {out.named} and {target.named}, which have to be of one shape."
    advice: list[str] = []
    if out.shape == [*target.shape, 1]:
        advice = [attached(out.text, ".squeeze(-1)"), f"or {attached(target.text, '.unsqueeze(-1)')}"]
    elif target.shape == [*out.shape, 1]:
        advice = [attached(target.text, ".squeeze(-1)")]
    elif product(out.shape) == product(target.shape):
        advice = [
            f"The numbers are as many: {attached(target.text, f'.view_as({out.text})')} if in the same order."
        ]
    elif len(out.shape) == len(target.shape) + 1 and out.shape[0] == target.shape[0]:
        labels = target.text.partition(".float()")[0]
        advice = [
            f"F.one_hot({attached(labels, '.long()')}, {out.shape[1]}).float(), or a loss of class numbers"
        ]
    elif len(out.shape) == len(target.shape):
        differing = [d for d, (a, b) in enumerate(zip(out.shape, target.shape)) if a != b]
        message += f" They differ in dimension{'' if len(differing) == 1 else 's'} {_axes(differing)}."
        small = smaller_batch(found, sizes, min(out.shape[0], target.shape[0])) if differing == [0] else None
        if small is not None:
            kept = out if out.shape[0] > target.shape[0] else target
            message += f" {small[0]} `{kept.text}` keeps the size of the others."
            advice = [f"Make `{kept.text}` of the batch's own size, as x.size(0).", f"or {small[1]}"]
    return Explanation("Target of a wrong shape", message, advice, [out, target])
