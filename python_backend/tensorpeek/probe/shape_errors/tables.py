"""Embeddings and indices: numbers that have no row, or no place in a dimension."""

from __future__ import annotations

import ast
import re
from typing import Any

from tensorpeek.probe import raw
from tensorpeek.probe.shape_errors.evaluate import evaluate
from tensorpeek.probe.shape_errors.explanation import Explanation, Operand, attached
from tensorpeek.probe.shape_errors.failing import Failing
from tensorpeek.probe.shape_errors.layer_words import at_line, described, fixed_layer
from tensorpeek.probe.shape_errors.operands import argument, input_of, parts, parts_of_call, receiver, short
from tensorpeek.probe.training.figures import count
from tensorpeek.probe.training.user_values import is_tensor

OUT = re.compile(r"[Ii]ndex (-?\d+) is out of bounds for dimension (\d+) with size (\d+)")
MASK = re.compile(
    r"shape of the mask \[([\d, ]*)\] at index (\d+) "
    r"does not match the shape of the indexed tensor \[([\d, ]*)\]"
)
MOST_READ = 20_000_000
"""Numbers of an index that are read to find the wrong ones."""


def explain_embedding(found: Failing) -> Explanation | None:
    if not isinstance(found.failure.error, IndexError) or "index out of range in self" not in found.text:
        return None
    given = found.given("embedding", "input", "weight") or found.given("embedding_bag", "input", "weight")
    if given is None or not all(map(is_tensor, given)):
        return None
    ids, weight = given
    module = found.module
    rows = int(weight.shape[0])
    layer = described(found, module) if module is not None else f"the table {list(weight.shape)}"
    x = input_of(found, ids)
    said, lowest, highest = wrong_numbers(ids, rows)
    if not said:
        return None
    message = f"{layer} has rows 0..{rows - 1}, but {x.named} {said}."
    if lowest < 0:
        advice = [
            f"A number below 0, as for padding, has no row: {attached(x.text, '.clamp(min=0)')} with a mask, "
            "or padding_idx with a number of its own."
        ]
    elif _counts_up(ids):
        message += f" These are positions: the sequence is longer than the table ({highest + 1} > {rows})."
        advice = [f"Cut the sequence to {rows}, or make the table longer."]
    else:
        advice = [
            f"The numbers go from 0 to {rows - 1}: is a special token, or a number from 1 on, counted in?"
        ]
    if module is not None and lowest >= 0:
        advice += fixed_layer(found, module, "num_embeddings", highest + 1)
    related = at_line(found, module) if module is not None else []
    return Explanation("Index without a row", message, advice, [x], related=related)


def wrong_numbers(ids: Any, size: int, ignored: int | None = None) -> tuple[str, int, int]:
    """What is wrong with numbers that have to be in 0..size - 1, the smallest and the largest; empty when
    nothing is, or on a device, which may have failed.
    """
    if ids.device.type != "cpu" or not ids.numel() or ids.numel() > MOST_READ:
        return "", 0, 0
    lowest, highest = int(ids.min()), int(ids.max())
    bad = (ids < 0) | (ids >= size)
    if ignored is not None:
        bad = bad & (ids != ignored)
    number = int(bad.sum())
    if not number:
        return "", lowest, highest
    where = [int(place) for place in bad.nonzero()[0]] if ids.dim() else []
    first = int(ids[tuple(where)]) if where else lowest
    place = f" at {where}" if where else ""
    word = "is" if number == 1 else "are"
    return f"has {first}{place}: {number:,} of {count(ids.numel(), 'number')} {word} outside", lowest, highest


def _counts_up(ids: Any) -> bool:
    """Whether the last dimension is 0, 1, 2, …"""
    if ids.dim() == 0 or ids.shape[-1] < 2:
        return False
    row = ids.reshape(-1, ids.shape[-1])[0]
    return bool((row[1:] - row[:-1] == 1).all()) and int(row[0]) >= 0


def explain_index(found: Failing) -> Explanation | None:
    text = found.text
    match = OUT.search(text)
    x = receiver(found)
    if match and x is not None:
        return _out(found, x, int(match[1]), int(match[2]), int(match[3]))
    match = re.search(r"too many indices for tensor of dimension (\d+)", text)
    if match:
        what = x.named if x is not None else f"a tensor of {match[1]} dimensions"
        used = f" `{short(found.node)}`" if found.node is not None else ""
        return Explanation(
            "Too many indices",
            f"{what} has {count(int(match[1]), 'dimension')}, and is indexed with more:{used}.",
            ["Check whether a dimension was squeezed away, or the batch is missing."],
            [x] if x is not None else [],
        )
    match = MASK.search(text)
    if match:
        operands = parts(found)
        mask = next((each for each in operands if each.shape == _sizes(match[1])), None)
        name = f"`{mask.text}`" if mask is not None else "the mask"
        what = x.named if x is not None else f"a tensor [{match[3]}]"
        return Explanation(
            "Mask of a wrong shape",
            f"The mask {name} is [{match[1]}], but {what} has another size in dimension {match[2]}.",
            [],
            [each for each in (x, mask) if each is not None],
        )
    match = re.search(
        r"shape mismatch: indexing tensors could not be broadcast together with shapes (.+)", text
    )
    if match:
        operands = parts(found)
        return Explanation(
            "Indices do not fit",
            f"The indices have shapes {match[1].strip()}, which do not broadcast.",
            [],
            operands,
        )
    return None


def _sizes(text: str) -> list[int]:
    return [int(part) for part in text.split(",") if part.strip()]


def _out(found: Failing, x: Operand, number: int, dimension: int, size: int) -> Explanation:
    message = (
        f"Index {number} of dimension {dimension} is out of range: {x.named} has places 0..{size - 1} there."
    )
    operands = [x]
    for each in parts(found)[1:]:
        if "int" in str(each.value.dtype) and each.value.device.type == "cpu":
            said, _, _ = wrong_numbers(each.value, size)
            if said:
                message += f" {each.named} {said} 0..{size - 1}."
                operands.append(each)
    advice = ["The numbers go from 0: is something counted from 1?"] if number == size else []
    return Explanation("Index out of range", message, advice, operands)


def explain_gather(found: Failing) -> Explanation | None:
    text = found.text
    if "Index tensor must have the same number of dimensions" not in text and not (
        re.search(r"Expected index \[[\d, ]+\] to be (no larger|smaller) than", text)
    ):
        return None
    operands = parts(found)
    if len(operands) < 2:
        return None
    x, index = (
        operands[0],
        next((each for each in operands[1:] if "int" in str(each.value.dtype)), operands[1]),
    )
    message = f"{found.called() or 'gather'}() takes an index with as many dimensions as the tensor: "
    message += f"{x.named}, {index.named}."
    advice: list[str] = []
    if len(index.shape) == len(x.shape) - 1:
        dim = evaluate(found.frame, argument(found, 0, "dim"))
        dim = dim if type(dim) is int else -1
        advice.append(attached(index.text, f".unsqueeze({dim})"))
    elif len(index.shape) == len(x.shape):
        message = (
            f"The index {index.named} goes beyond {x.named} in another dimension than that of the choice."
        )
    return Explanation("Index of a wrong shape", message, advice, [x, index])


def explain_unpacking(found: Failing) -> Explanation | None:
    """`b, t, d = x.shape` with another number of dimensions."""
    match = re.search(r"(not enough|too many) values to unpack \(expected (\d+)", found.text)
    if not match or not isinstance(found.failure.error, ValueError) or found.library:
        return None
    statement = found.statement
    if not isinstance(statement, ast.Assign):
        return None
    value = statement.value
    if isinstance(value, ast.Attribute) and value.attr == "shape":
        whole: ast.AST = value.value
    elif (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Attribute)
        and value.func.attr == "size"
        and not value.args
    ):
        whole = value.func.value
    else:
        whole = value
    tensor = _tensor(found, whole)
    if tensor is None:
        return _parts(found, value, int(match[2]), source_names(statement))
    wanted, names = int(match[2]), source_names(statement)
    has = len(tensor.shape)
    x = Operand(short(whole), tensor)
    if whole is value:
        message = f"{x.named} is unpacked into {wanted} names, but has {tensor.shape[0] if has else 0} rows."
        return Explanation("Wrong number of rows", message, [], [x])
    message = f"`{names}` wants {wanted} dimensions, but {x.named} has {has}."
    advice = []
    if has == wanted - 1:
        advice.append(f"{attached(x.text, '.unsqueeze(0)')} if the batch dimension is missing")
    elif has > wanted:
        stars = ", ".join([*names.split(", ")[:wanted], "*_"])
        advice.append(f"{stars} = {short(value)} if the rest does not matter")
    return Explanation("Wrong number of dimensions", message, advice, [x])


def _parts(found: Failing, value: ast.AST, wanted: int, names: str) -> Explanation | None:
    """`i, f, g, o = gates.chunk(4)`, which may give fewer."""
    made = evaluate(found.frame, value)
    if type(made) is not tuple or not made or not all(map(is_tensor, made)):
        return None
    operands = parts_of_call(found, value)
    whole = f" of {operands[0].named}" if operands else ""
    shapes = ", ".join(str([int(size) for size in each.shape]) for each in made[:6])
    return Explanation(
        "Wrong number of parts",
        f"`{names}` wants {wanted} parts, but `{short(value)}`{whole} gives {len(made)}: {shapes}.",
        [],
        operands[:1],
    )


def source_names(statement: ast.Assign) -> str:
    target = statement.targets[0]
    if isinstance(target, (ast.Tuple, ast.List)):
        return ", ".join(ast.unparse(each) for each in target.elts)
    return ast.unparse(target)


def _tensor(found: Failing, node: ast.AST) -> Any:
    value = evaluate(found.frame, node)
    return value if value is not raw.MISSING and is_tensor(value) else None
