"""Views: sizes that do not multiply to the tensor's, strides that do not merge, dimensions that are not
there.
"""

from __future__ import annotations

import ast
import re

from tensorpeek.probe.shape_errors.batches import Sizes, loader_of, smaller_batch
from tensorpeek.probe.shape_errors.evaluate import evaluate
from tensorpeek.probe.shape_errors.explanation import Explanation, Operand, attached, product, times
from tensorpeek.probe.shape_errors.failing import Failing
from tensorpeek.probe.shape_errors.operands import receiver, short, tensors_of
from tensorpeek.probe.training import source
from tensorpeek.probe.training.figures import count
from tensorpeek.probe.training.places import Place
from tensorpeek.probe.training.report import Related

SIZES = re.compile(r"shape '\[([-\d, ]*)\]' is invalid for input of size (\d+)")
STRIDES = "view size is not compatible with input tensor's size and stride"
RANGE = re.compile(
    r"Dimension out of range \(expected to be in range of \[(-?\d+), (-?\d+)\], but got (-?\d+)\)"
)
EXPANDED = re.compile(
    r"expanded size of the tensor \((\d+)\) must match the existing size \((\d+)\) "
    r"at non-singleton dimension (\d+)"
    r".*Target sizes: \[([\d, ]*)\].*Tensor sizes: \[([\d, ]*)\]",
    re.DOTALL,
)
ASSIGNED = re.compile(
    r"value tensor of shape \[([\d, ]*)\] cannot be broadcast to indexing result of shape \[([\d, ]*)\]"
)
TURNING = ("transpose", "permute", "T", "mT", "t", "movedim", "swapaxes", "expand", "unfold")


def explain(found: Failing, sizes: Sizes) -> Explanation | None:
    text = found.text
    match = SIZES.search(text)
    x = receiver(found)
    if match:
        return _sizes(
            found, sizes, x, [int(part) for part in match[1].split(",") if part.strip()], int(match[2])
        )
    if STRIDES in text:
        return _strides(found, x)
    match = RANGE.search(text)
    if match:
        what = x.named if x is not None else "The tensor"
        number = int(match[2]) + 1
        call = f" `{short(found.node)}`" if found.node is not None else " the call"
        return Explanation(
            "No such dimension",
            f"{what} has {count(number, 'dimension')}, {match[1]}..{match[2]}, but{call} names dimension "
            f"{match[3]}.",
            ["Check whether a dimension was squeezed away, or the batch is missing; -1 is the last one."],
            [x] if x is not None else [],
        )
    match = re.search(r"input\.dim\(\) = (\d+) is not equal to len\(dims\) = (\d+)", text)
    if match:
        what = x.named if x is not None else "the tensor"
        has, wanted = int(match[1]), int(match[2])
        advice = []
        if x is not None and has == wanted - 1:
            advice.append(f"{attached(x.text, '.unsqueeze(0)')} first, if the batch dimension is missing")
        return Explanation(
            "Wrong number of dimensions",
            f"permute names {wanted} dimensions, but {what} has {has}.",
            advice,
            [x] if x is not None else [],
        )
    match = EXPANDED.search(text)
    if match:
        return _expanded(found, x, match)
    return None


def _sizes(found: Failing, sizes: Sizes, x: Operand | None, wanted: list[int], numel: int) -> Explanation:
    what = x.named if x is not None else "the tensor"
    known = product(size for size in wanted if size >= 0)
    message = f"{what} has {numel:,} numbers, which can't be viewed as {wanted}"
    message += (
        f" ({times(wanted)} = {known:,})." if -1 not in wanted else f": {known:,} does not divide them."
    )
    advice: list[str] = []
    operands = [x] if x is not None else []
    rows = x.shape[0] if x is not None and x.shape else 0
    rest = product(wanted[1:]) if -1 not in wanted[1:] else 0
    if rest and numel % rest == 0 and numel // rest != wanted[0]:
        found_rows = numel // rest
        small = smaller_batch(found, sizes, found_rows) if found_rows < wanted[0] else None
        if small is not None:
            message += f" {small[0]}"
        tail = ", ".join(str(size) for size in wanted[1:])
        if found_rows == rows and x is not None:
            advice.append(f"{attached(x.text, '.size(0)')} instead of {wanted[0]}, or -1: view(-1, {tail})")
        else:
            advice.append(f"{found_rows} rows would fit: view({found_rows}, {tail})")
        if small is not None:
            advice.append(f"or {small[1]}")
    elif rows and wanted and wanted[0] in (rows, -1) and len(wanted) == 2:
        fits = numel // rows
        message += f" A sample has {fits:,} numbers."
        advice.append(f"flatten(1) instead of view, and {fits} for the layer behind it")
    elif x is not None and len(wanted) > 2 and len(x.shape) > 1:
        advice += _split(x.shape, wanted)
    loader = loader_of(found)
    related = (
        [Related(loader.place, "the batches are made here")] if loader is not None and loader.place else []
    )
    return Explanation(
        "View of a wrong size", message, advice, operands, related=related if "row" in message else []
    )


def _split(shape: list[int], wanted: list[int]) -> list[str]:
    """Dimensions that are split in two, as into heads or patches, by a number that does not divide them."""
    advice: list[str] = []
    at = 0
    for position, size in enumerate(shape):
        if at < len(wanted) and wanted[at] == size:
            at += 1
            continue
        pair = wanted[at : at + 2]
        if len(pair) < 2 or min(pair) < 1:
            break
        if product(pair) != size:
            if size // pair[0] != pair[1] and size // pair[1] != pair[0]:
                break
            advice.append(
                f"Dimension {position} has {size}, not {times(pair)} = {product(pair)}: it leaves a rest."
            )
        at += 2
    return advice


def explain_assigned(found: Failing) -> Explanation | None:
    """`x[mask] = y`, where y has another shape than what is chosen."""
    match, statement = ASSIGNED.search(found.text), found.statement
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    if match is None or not isinstance(statement, ast.Assign) or not isinstance(target, ast.Subscript):
        return None
    nodes = (target.value, statement.value)
    operands = [Operand(short(node), each) for node in nodes for each in tensors_of(found, node)[:1]]
    return Explanation(
        "Assigned shapes differ",
        f"`{short(target)}` is [{match[2]}], but is assigned `{short(statement.value)}` [{match[1]}].",
        [],
        operands,
    )


def _strides(found: Failing, x: Operand | None) -> Explanation:
    what = f"{x.named} with strides {list(x.value.stride())}" if x is not None else "the tensor"
    turned = _turned(found, x.text) if x is not None else None
    since = f", since {turned[0]} at line {turned[1].line}" if turned is not None else ""
    message = f"{what} is not contiguous{since}: view() can't merge its dimensions without a copy."
    node = found.node
    advice = ["reshape() instead of view(), or contiguous() before it"]
    if x is not None and isinstance(node, ast.Call):
        args = ", ".join(source.text(arg) for arg in node.args)
        advice = [
            attached(x.text, f".reshape({args})"),
            f"or {attached(x.text, f'.contiguous().view({args})')}",
        ]
        if found.called() not in ("view",):
            advice = [f"{attached(x.text, '.contiguous()')} before {found.called()}()"]
    related = (
        [Related(turned[1], f"{turned[0]} changes the order of the memory")] if turned is not None else []
    )
    return Explanation(
        "View of a turned tensor", message, advice, [x] if x is not None else [], related=related
    )


def _turned(found: Failing, name: str) -> tuple[str, Place] | None:
    """The call that turned the tensor: in its own expression, or in what assigned its name."""
    try:
        own: ast.AST = ast.parse(name, mode="eval").body
    except SyntaxError:
        return None
    place = found.place
    words = _turning(own)
    if words:
        return words, place
    for statement in reversed(source.assignments(found.frame.f_code, name)):
        if statement.lineno < place.line:
            words = _turning(getattr(statement, "value", statement))
            return (words, Place(place.path, statement.lineno, place.function)) if words else None
    return None


def _turning(node: ast.AST) -> str:
    for part in ast.walk(node):
        if isinstance(part, ast.Call) and source.called(part) in ("contiguous", "clone", "reshape"):
            return ""
        if isinstance(part, ast.Call) and source.called(part) in TURNING:
            return f"{source.called(part)}({', '.join(source.text(arg) for arg in part.args)})"
        if isinstance(part, ast.Attribute) and part.attr in ("T", "mT"):
            return f".{part.attr}"
    return ""


def _expanded(found: Failing, x: Operand | None, match: re.Match[str]) -> Explanation:
    into, own, dimension = match[1], match[2], match[3]
    if isinstance(found.node, ast.Call) and x is not None:
        name = found.called() or "expand"
        message = (
            f"{x.named} can't be expanded to [{match[4]}] by {name}(): in dimension {dimension} it is {own}, "
            f"not 1 or {into}."
        )
        return Explanation("Expand to a wrong size", message, [], [x])
    statement = found.statement
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript):
        target, value = statement.targets[0], statement.value
        place, what = short(target), short(value)
        message = f"`{place}` [{match[4]}] is assigned `{what}` [{match[5]}]: "
        message += f"{into} and {own} in dimension {dimension}."
        operands = []
        for node in (target.value, value):
            result = evaluate(found.frame, node)
            if hasattr(result, "shape"):
                operands.append(Operand(short(node), result))
        return Explanation("Assigned shapes differ", message, [], operands)
    return Explanation(
        "Expand to a wrong size",
        f"[{match[5]}] can't be expanded to [{match[4]}]: dimension {dimension} is {own}, not {into}.",
    )
