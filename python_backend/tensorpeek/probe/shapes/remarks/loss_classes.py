"""A cross-entropy whose dimension of classes are no classes."""

from __future__ import annotations

from collections.abc import Iterator

from tensorpeek.probe.shape_faults.classes import CLASSES, taken_for_classes
from tensorpeek.probe.shapes.remarks.ancestry import is_linear, order_of, origin
from tensorpeek.probe.shapes.remarks.batch_softmax import LOG_SOFTMAX, SOFTMAX, softmax_dim
from tensorpeek.probe.shapes.remarks.operations import VIEWS, Operation, Value
from tensorpeek.probe.shapes.remarks.rule import Fault, Pass, Rule

NLL = frozenset({"nll_loss_forward", "nll_loss2d_forward"})
MOST_STEPS = 20


class LossClasses(Rule):
    name = "loss-input"
    description = "A cross-entropy or nll_loss takes positions or samples for the classes."

    def look(self, operation: Operation, seen: Pass) -> Iterator[Fault]:
        if operation.spot is None:
            return
        if operation.name == LOG_SOFTMAX and "cross_entropy" in operation.via:
            yield from self._cross_entropy(operation, seen)
        elif operation.name in NLL and "cross_entropy" not in operation.via:
            yield from self._nll(operation, seen)

    def _cross_entropy(self, operation: Operation, seen: Pass) -> Iterator[Fault]:
        scores = operation.inputs[0]
        features = features_dim(scores)
        if len(scores.sizes) < 3 or features is None or features == CLASSES:
            return
        text = seen.text(scores)
        yield _fault(
            operation,
            scores,
            f"cross_entropy takes dimension {CLASSES} of {text} for the classes; the features of the layer "
            f"that made it are in dimension {features}. The sizes fit by chance.",
            f"transpose({CLASSES}, {features}) before the loss, or flatten both to rows of classes.",
            seen,
        )

    def _nll(self, operation: Operation, seen: Pass) -> Iterator[Fault]:
        given = _before_reshape(operation.inputs[0], operation)
        maker = origin(given).maker
        if maker is None or maker.name not in (LOG_SOFTMAX, SOFTMAX):
            return
        dim, sizes = softmax_dim(maker), given.sizes
        over = taken_for_classes(sizes, dim)
        # What runs over the batch is remarked where it does.
        if not over or maker.outputs[0].sizes != sizes or dim == seen.samples.dim(maker.inputs[0]):
            return
        yield _fault(
            operation,
            maker.inputs[0],
            f"nll_loss gets log-probabilities over dimension {dim}, the {over}, instead of over the "
            f"{sizes[CLASSES]} classes in dimension {CLASSES}: each of the {over} competes with the others "
            "for a class.",
            f"Use dim={CLASSES} instead of dim={dim} in the softmax, or cross_entropy on the raw scores.",
            seen,
        )


def _fault(operation: Operation, scores: Value, message: str, advice: str, seen: Pass) -> Fault:
    spot = operation.spot
    assert spot is not None
    made = seen.made_by_user(scores)
    return Fault(
        "Loss over what are no classes",
        message,
        spot,
        evidence=[f"scores {seen.text(scores)}"],
        next=[advice],
        related=[(made, f"{seen.text(scores)} is made here")] if made is not None and made != spot else [],
    )


def _before_reshape(value: Value, operation: Operation) -> Value:
    """`functional.nll_loss` itself gives the dimensions behind the classes another shape."""
    maker = value.maker
    if maker is not None and maker.name in VIEWS and maker.spot == operation.spot and "nll_loss" in maker.via:
        return maker.inputs[0]
    return value


def features_dim(value: Value) -> int | None:
    """Where the outputs of the layer are that made the value; None where that is not known."""
    turns: list[tuple[int, ...]] = []
    for _ in range(MOST_STEPS):
        value = origin(value)
        maker = value.maker
        if maker is None or not maker.inputs:
            return None
        order = order_of(maker)
        if order is None:
            if is_linear(maker):
                return _turned(len(value.sizes) - 1, turns)
            return _turned(1, turns) if maker.name == "convolution" else None
        turns.append(order)
        value = maker.inputs[0]
    return None


def _turned(dim: int, turns: list[tuple[int, ...]]) -> int:
    """Where a dimension is after transposes, of which the last is the first."""
    for order in reversed(turns):
        dim = order.index(dim)
    return dim
