"""Tensors that are joined one behind the other, or into a batch."""

from __future__ import annotations

import ast
import re

from tensorpeek.probe import raw
from tensorpeek.probe.shape_errors.evaluate import evaluate
from tensorpeek.probe.shape_errors.explanation import Explanation, Operand, attached
from tensorpeek.probe.shape_errors.failing import Failing
from tensorpeek.probe.shape_errors.joining import nearly
from tensorpeek.probe.shape_errors.operands import argument, parts, short
from tensorpeek.probe.training.user_values import is_tensor, value_of

CAT = re.compile(
    r"Sizes of tensors must match except in dimension (\d+).*"
    r"size (\d+) but got size (\d+) for tensor number (\d+)"
)
DIMENSIONS = re.compile(r"Tensors must have same number of dimensions: got (\d+) and (\d+)")
STACK = re.compile(
    r"stack expects each tensor to be equal size, "
    r"but got \[([\d, ]*)\] at entry 0 and \[([\d, ]*)\] at entry (\d+)"
)


def explain_cat(found: Failing) -> Explanation | None:
    match = CAT.search(found.text)
    if "zero-dimensional tensor (at position" in found.text:
        return _numbers(found)
    if match is None and not DIMENSIONS.search(found.text):
        return None
    operands = _joined(found)
    if len(operands) < 2:
        return None
    if match is None:
        message = f"cat joins tensors with equally many dimensions: {_listed(operands)}."
        few, many = sorted(operands[:2], key=lambda each: len(each.shape))
        position = next(
            (at for at in range(len(many.shape)) if many.shape[:at] + many.shape[at + 1 :] == few.shape), -1
        )
        advice = (
            [attached(few.text, f".unsqueeze({position})")] if len(few.shape) == len(many.shape) - 1 else []
        )
        return Explanation("Wrong number of dimensions", message, advice, operands)
    dim = int(match[1])
    shapes = [each.shape for each in operands]
    differing = [
        at for at in range(len(shapes[0])) if len({tuple(shape[at : at + 1]) for shape in shapes}) > 1
    ]
    message = f"cat along dimension {dim} needs all others equal: {_listed(operands)}."
    advice: list[str] = []
    others = [at for at in differing if at != dim]
    if len(differing) == 1:
        message += f" They differ in dimension {differing[0]} only."
        advice.append(f"dim={differing[0]} joins them there")
    kept = next((each for each in operands if _is_kept(found, each)), None)
    if others == [0] and kept is not None:
        message += f" `{kept.text}` is kept from an earlier call, with a batch of {kept.shape[0]}."
        advice = [f"Begin anew where the batch changes, as with {kept.text} = None."]
    if len(shapes[0]) >= 4 and all(at >= 2 for at in others):
        first = next(each for each in operands if each.shape[2:] != shapes[0][2:])
        if all(abs(first.shape[at] - shapes[0][at]) <= 2 for at in others):
            more, advice = nearly(operands[0], first)
            message += more
        else:
            advice = [
                f"F.interpolate({operands[0].text}, size={attached(first.text, '.shape[2:]')}) before it"
            ]
    return Explanation("Joined tensors do not fit", message, advice, operands)


def _numbers(found: Failing) -> Explanation:
    operands = _joined(found)
    single = next((each for each in operands if not each.shape), None)
    which = f"`{single.text}`" if single is not None else "one of them"
    return Explanation(
        "Joined tensors do not fit",
        f"cat joins tensors with dimensions, but {which} is a single number: {_listed(operands)}. "
        "squeeze() takes every dimension of size 1 away, that of a batch of one too.",
        ["squeeze(1) or squeeze(-1) takes one dimension only; torch.stack joins single numbers"],
        operands,
    )


def _is_kept(found: Failing, operand: Operand) -> bool:
    """Whether the module holds it as an attribute of its own, neither trained nor registered."""
    own, _, name = operand.text.partition(".")
    if own != "self" or not name.isidentifier():
        return False
    return raw.attributes(value_of(found.frame, "self")).get(name) is operand.value


def _joined(found: Failing) -> list[Operand]:
    """The tensors of the list that is joined, also where it is a variable."""
    node = argument(found, 0, "tensors")
    value = evaluate(found.frame, node)
    if type(value) in (list, tuple) and not isinstance(node, (ast.List, ast.Tuple)):
        return (
            [Operand(f"{short(node)}[{at}]", each) for at, each in enumerate(value[:20]) if is_tensor(each)]
            if node
            else []
        )
    return parts(found)


def _listed(operands: list[Operand]) -> str:
    return ", ".join(each.named for each in operands[:6]) + (" …" if len(operands) > 6 else "")


def explain_stack(found: Failing) -> Explanation | None:
    match = STACK.search(found.text)
    if match is None:
        return None
    frames = [frame.f_code.co_name for frame in found.library]
    collating = "collate" in " ".join([*frames, str(found.failure.error)])
    which = f"entry 0 is [{match[1]}], entry {match[3]} is [{match[2]}]"
    if not collating:
        operands = _joined(found)
        return Explanation(
            "Stacked shapes differ",
            f"stack needs tensors of one shape: {which}.",
            ["torch.nn.utils.rnn.pad_sequence for sequences of different lengths"],
            operands,
        )
    lengths = len(match[1].split(",")) == 1
    advice = ["A collate_fn with torch.nn.utils.rnn.pad_sequence(sequences, batch_first=True)"]
    if not lengths and len(match[1].split(",")) == 3:
        advice = [
            "Resize or crop to one size in the transform; for boxes and such, a collate_fn that makes lists."
        ]
    return Explanation(
        "Samples of different shapes",
        f"The DataLoader can't make a batch of samples with different shapes: {which} of the batch.",
        advice,
    )
