"""Two tensors of one value per sample, of which one has a dimension of 1 too many."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tensorpeek.probe.shape_faults import pairs
from tensorpeek.probe.shapes.remarks.ancestry import MOST_STEPS
from tensorpeek.probe.shapes.remarks.operations import VIEWS, Operation, Value
from tensorpeek.probe.shapes.remarks.rule import Fault, Pass, Rule

ARITHMETIC = frozenset({"sub", "rsub", "add", "mul", "div", "pow", "maximum", "minimum"})
LOSSES = frozenset({"mse_loss", "smooth_l1_loss", "huber_loss"})
"""Operations; `l1_loss` and others are arithmetic."""
FUNCTIONS_OF_LOSSES = LOSSES | {
    "l1_loss",
    "poisson_nll_loss",
    "gaussian_nll_loss",
    "soft_margin_loss",
    "kl_div",
}
"""Of torch, in which arithmetic is a loss."""
MOVING = frozenset({"clone", "_to_copy", "detach", "alias", "slice", "select", "contiguous", "lift_fresh"})
"""What gives the same elements, or some of them."""
RESHAPING = VIEWS | {"squeeze"}


class SilentBroadcast(Rule):
    name = "silent-broadcast"
    description = "Tensors of shape (N, 1) and (N,) broadcast each other to (N, N), in a loss or elsewhere."

    def look(self, operation: Operation, seen: Pass) -> Iterator[Fault]:
        if operation.name not in ARITHMETIC | LOSSES or len(operation.inputs) < 2 or operation.spot is None:
            return
        left, right = (_unexpanded(value) for value in operation.inputs[:2])
        wide, flat = (left, right) if len(left.sizes) > len(right.sizes) else (right, left)
        result = pairs.broadcast(left.sizes, right.sizes)
        if result is None or pairs.partner_of(wide.sizes, result) != flat.sizes:
            return
        is_loss = operation.name in LOSSES or not FUNCTIONS_OF_LOSSES.isdisjoint(operation.via)
        if not is_loss and (not _is_of_batch(wide, flat) or _is_meant(wide, flat)):
            return
        yield _fault(operation, left, right, is_loss, seen)


def _fault(operation: Operation, left: Value, right: Value, is_loss: bool, seen: Pass) -> Fault:
    spot = operation.spot
    assert spot is not None
    written = spot.operands()
    names = written[:2] if len(written) >= 2 else ["", ""]
    texts = [seen.text(left), seen.text(right)]
    named = [f"{name} {text}".strip() for name, text in zip(names, texts)]
    result = pairs.broadcast(left.sizes, right.sizes) or ()
    count, total = math.prod(left.sizes), math.prod(result)
    size = seen.text(operation.outputs[0]) if operation.outputs[0].sizes == result else str(list(result))
    end = ", so the loss is an average over pairs that do not belong together." if is_loss else "."
    origins = [(name, value, seen.made_by_user(_root(value))) for name, value in zip(names, (left, right))]
    return Fault(
        "Silent broadcast in the loss" if is_loss else "Silent broadcast",
        f"{named[0]} and {named[1]} broadcast each other to {size}: {pairs.consequence(count, total)}{end}",
        spot,
        evidence=named,
        next=[pairs.advice(*texts)],
        related=[
            (made, f"{name or 'one of them'} {seen.text(value)} comes from here")
            for name, value, made in origins
            if made is not None and made != spot
        ],
        mixes_samples=not is_loss,
    )


def _unexpanded(value: Value) -> Value:
    """Losses of `functional` expand their operands first."""
    maker = value.maker
    return maker.inputs[0] if maker is not None and maker.name == "expand" and maker.inputs else value


def _is_of_batch(wide: Value, flat: Value) -> bool:
    return bool(flat.follows) and flat.follows[-1] == 1 and wide.follows[-2] == 1


def _is_meant(wide: Value, flat: Value) -> bool:
    """Whether the dimension of 1 was made on purpose, or pairs of one tensor's own elements are formed."""
    roots = _root(wide), _root(flat)
    return (
        roots[0] is roots[1]
        or any(root.maker is not None and not root.maker.inputs for root in roots)
        or _keeps_purposely(wide)
    )


def _keeps_purposely(value: Value) -> bool:
    for _ in range(MOST_STEPS):
        maker = value.maker
        if maker is None or not maker.inputs:
            return False
        given = maker.inputs[0]
        if maker.name in pairs.MEANT or (maker.name in RESHAPING and len(value.sizes) > 2):
            return True
        if len(given.sizes) == len(value.sizes) and given.sizes[-1] != 1 and not _moves(maker):
            # A reduction that keeps its dimension; a layer of one output has another operation's name.
            return any(each is True for each in maker.arguments)
        if not (maker.is_elementwise or maker.name in MOVING):
            return False
        value = given
    return False


def _moves(operation: Operation) -> bool:
    return operation.name in MOVING


def _root(value: Value) -> Value:
    """Past what only moves the elements."""
    for _ in range(MOST_STEPS):
        maker = value.maker
        if maker is None or not maker.inputs or maker.name not in MOVING | RESHAPING | set(pairs.MEANT):
            return value
        value = maker.inputs[0]
    return value
