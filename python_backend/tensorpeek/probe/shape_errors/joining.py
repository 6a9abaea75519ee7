"""Tensors that are joined element by element."""

from __future__ import annotations

import ast
import re

from tensorpeek.probe import raw
from tensorpeek.probe.shape_errors.batches import Sizes, smaller_batch
from tensorpeek.probe.shape_errors.explanation import Explanation, Operand, attached, product
from tensorpeek.probe.shape_errors.failing import Failing
from tensorpeek.probe.shape_errors.linear import exchanged
from tensorpeek.probe.shape_errors.operands import argument_operand, parts, short
from tensorpeek.probe.training.user_values import is_tensor, value_of

SIZES = re.compile(
    r"size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\) at non-singleton dimension (\d+)"
)
OUTPUT = re.compile(r"output with shape \[([\d, ]*)\] doesn't match the broadcast shape \[([\d, ]*)\]")

SIGNS = ((ast.Sub, "-"), (ast.Mult, "*"), (ast.Div, "/"), (ast.MatMult, "@"))


def explain_broadcast(found: Failing, sizes: Sizes) -> Explanation | None:
    match = SIZES.search(found.text)
    if match is None:
        return _into_output(found)
    operands = _pair(found, [int(match[1]), int(match[2])], int(match[3]))
    if operands is None:
        return None
    a, b = operands
    message = (
        f"{a.named} and {b.named} can't be broadcast: dimension {match[3]} is {match[1]} and {match[2]}."
    )
    if isinstance(getattr(found.node, "op", None), ast.MatMult) or found.called() in ("matmul", "bmm"):
        message = f"{a.named} and {b.named} can't be multiplied: they are batches of {a.shape[:-2]} and "
        message += f"{b.shape[:-2]} matrices."
        return Explanation("Batches do not fit", message, exchanged(a, b), [a, b])
    advice = aligned(a, b) or aligned(b, a)
    if not advice:
        more, advice = _same_rank(found, sizes, a, b)
        message += more
    return Explanation("Shapes do not broadcast", message, advice, [a, b])


def _pair(found: Failing, two: list[int], dimension: int) -> tuple[Operand, Operand] | None:
    """The operands that the error is about: those whose sizes differ there."""
    given = _given_to_loss(found)
    operands = given or parts(found)
    for first, a in enumerate(operands):
        for b in operands[first + 1 :]:
            rank = max(len(a.shape), len(b.shape))
            own = [_size(each.shape, dimension - rank) for each in (a, b)]
            if sorted(own) == sorted(two) and 1 not in own:
                return (a, b) if own == two else (b, a)
    return None


def _given_to_loss(found: Failing) -> list[Operand]:
    for frame in reversed(found.library):
        given = found.given(frame.f_code.co_name, "input", "target")
        if given is not None and all(map(is_tensor, given)):
            return [
                argument_operand(found, given[0], 0, "input"),
                argument_operand(found, given[1], 1, "target"),
            ]
    return []


def _size(shape: list[int], position: int) -> int:
    return shape[position] if -position <= len(shape) else 1


def aligned(a: Operand, b: Operand) -> list[str]:
    """New dimensions of size 1 that make the second fit to the first, which has more."""
    big, small = a.shape, b.shape
    if len(small) >= len(big) or not small:
        return []
    places: list[int] = []
    at = len(big) - 1
    for size in reversed(small):
        while at >= 0 and big[at] != size:
            at -= 1
        if at < 0:
            return []
        places.insert(0, at)
        at -= 1
    # The batch stays the batch where it can be.
    if small[0] == big[0] and (len(places) < 2 or places[0] > 0) and places[1:2] != [0]:
        places[0] = 0
    index = ", ".join(":" if position in places else "None" for position in range(places[0], len(big)))
    return [attached(b.text, f"[{index}]")]


def _same_rank(found: Failing, sizes: Sizes, a: Operand, b: Operand) -> tuple[str, list[str]]:
    left, right = a.shape, b.shape
    if len(left) != len(right):
        return "", _table(found, a, b)
    differing = [
        position for position, (one, two) in enumerate(zip(left, right)) if one != two and 1 not in (one, two)
    ]
    if sorted(left) == sorted(right) and len(differing) == 2:
        one, two = differing
        turned = ".T" if len(right) == 2 else f".transpose({one}, {two})"
        return "", [attached(b.text, turned)]
    table = _table(found, a, b)
    if table:
        return "", table
    if differing == [0]:
        small = smaller_batch(found, sizes, min(left[0], right[0]))
        if small is not None:
            fixed = a if left[0] > right[0] else b
            return f" {small[0]} `{fixed.text}` keeps the size of the others.", [
                f"Make `{fixed.text}` of the batch's own size, as x.size(0).",
                f"or {small[1]}",
            ]
    spatial = [position for position in differing if position >= 2]
    if len(left) >= 4 and spatial:
        if all(abs(left[each] - right[each]) <= 2 for each in spatial) and spatial == differing:
            return nearly(a, b)
        ratio = {max(left[each], right[each]) / min(left[each], right[each]) for each in spatial}
        if len(ratio) == 1 and ratio.pop() == 2:
            small, big = (a, b) if left[spatial[0]] < right[spatial[0]] else (b, a)
            channels = f" and {small.shape[1]} channels" if small.shape[1] != big.shape[1] else ""
            return f" `{small.text}` went through a stride of 2, `{big.text}` did not.", [
                f"A shortcut needs the same stride{channels}: "
                f"nn.Conv2d({big.shape[1]}, {small.shape[1]}, 1, stride=2) for `{big.text}`"
            ]
    if product(left) == product(right):
        return "", [
            f"They have as many numbers: {attached(b.text, f'.view_as({a.text})')} if in the same order."
        ]
    if differing == [1] and len(left) >= 3:
        return "", [f"A convolution with kernel 1 brings `{b.text}` to {left[1]} channels."] if len(
            left
        ) == 4 else []
    return "", []


def nearly(a: Operand, b: Operand) -> tuple[str, list[str]]:
    """What is said of images whose sizes differ by one or two."""
    return " Sizes that were odd do not come back after pooling and upsampling.", [
        "Pad the images to a multiple of all strides together,",
        f"or F.interpolate({a.text}, size={attached(b.text, '.shape[2:]')}) before joining them.",
    ]


def _table(found: Failing, a: Operand, b: Operand) -> list[str]:
    """A table of the module's, as for positions, that is shorter than the sequence."""
    for table, other in ((a, b), (b, a)):
        name = table.text.partition("[")[0]
        value = value_of(found.frame, name) if name.replace(".", "").isidentifier() else raw.MISSING
        if not name.startswith("self.") or not is_tensor(value):
            continue
        rank = max(len(table.shape), len(other.shape))
        for position in range(-1, -rank - 1, -1):
            has, wanted = _size(table.shape, position), _size(other.shape, position)
            if 1 < has < wanted and wanted == has + 1:
                return [
                    f"`{name}` has {has} positions, the sequence {wanted}: one more, as for a class token."
                ]
            if 1 < has < wanted:
                return [
                    f"`{name}` has {has} positions, the sequence {wanted}: cut it, or make the table longer."
                ]
            if has > wanted > 1 and "[" not in table.text:
                index = ", ".join([":"] * (len(table.shape) + position) + [f":{wanted}"])
                return [f"{name}[{index}] for a sequence of {wanted}"]
    return []


def _into_output(found: Failing) -> Explanation | None:
    match = OUTPUT.search(found.text)
    if match is None:
        return None
    operands = parts(found)
    node = found.node
    name = operands[0].text if operands else "the tensor"
    message = f"`{name}` [{match[1]}] is written in place, but the result is [{match[2]}]: it can't grow."
    said = [each.named for each in operands[1:]]
    if said:
        message += f" The other operand is {', '.join(said)}."
    advice = ["Write the operation without `_`, which makes a new tensor."]
    if isinstance(node, ast.AugAssign):
        sign = next((sign for kind, sign in SIGNS if isinstance(node.op, kind)), "+")
        advice = [f"{short(node.target)} = {short(node.target)} {sign} {short(node.value)}, if it is to grow"]
    return Explanation("In-place result is larger", message, advice, operands)
