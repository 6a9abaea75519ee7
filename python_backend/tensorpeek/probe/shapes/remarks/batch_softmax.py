"""A softmax over the samples of the batch."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tensorpeek.probe.shapes.remarks.ancestry import MOST_STEPS, PRESERVING
from tensorpeek.probe.shapes.remarks.operations import VIEWS, Operation, Value
from tensorpeek.probe.shapes.remarks.rule import Fault, Pass, Rule

SOFTMAX, LOG_SOFTMAX = "_softmax", "_log_softmax"
MOVING = PRESERVING | VIEWS | {"transpose", "permute", "t", "unsqueeze", "squeeze", "expand"}


class BatchSoftmax(Rule):
    name = "batch-softmax"
    description = "A softmax or log_softmax runs over the batch, so that samples compete with each other."

    def look(self, operation: Operation, seen: Pass) -> Iterator[Fault]:
        if operation.name not in (SOFTMAX, LOG_SOFTMAX) or operation.spot is None:
            return
        value = operation.inputs[0]
        dim = softmax_dim(operation)
        if len(value.sizes) < 2 or dim != seen.samples.dim(value):
            return
        others = value.sizes[:dim] + value.sizes[dim + 1 :]
        if math.prod(others) < 2 or _is_pooled(operation, seen) or _is_normalized_both_ways(value, seen):
            return
        name = operation.name.strip("_")
        made = seen.made_by_user(value)
        yield Fault(
            f"{name} over the batch",
            f"{seen.text(value)} is normalized over dimension {dim}, which is the batch: what comes out for "
            "a sample depends on which others are in its batch, and the entries of one sample do not add up "
            "to 1.",
            operation.spot,
            evidence=[f"{name} {seen.text(value)} over dim {dim}"],
            next=[f"dim=-1 is usual where the last dimension are the classes; here is dim={dim}."],
            related=[(made, f"{seen.text(value)} is made here")]
            if made is not None and made != operation.spot
            else [],
            mixes_samples=True,
        )


def softmax_dim(operation: Operation) -> int:
    rank = len(operation.inputs[0].sizes)
    dim = operation.arguments[1]
    return dim % rank if type(dim) is int and rank else -1


def _is_pooled(operation: Operation, seen: Pass) -> bool:
    """Whether the weights are summed over the batch, as where a set of instances is one example."""
    waiting: list[Value] = [operation.outputs[0]]
    for _ in range(MOST_STEPS):
        if not waiting:
            return False
        value = waiting.pop()
        for user in seen.users_of(value):
            result = user.outputs[0]
            if not any(result.follows):
                if math.prod(result.sizes) > 1:
                    return True
            elif user.is_elementwise or user.name in MOVING:
                waiting.append(result)
    return False


def _is_normalized_both_ways(value: Value, seen: Pass) -> bool:
    """As assignments are that are to be even in both directions."""
    dims = {softmax_dim(user) for user in seen.users_of(value) if user.name in (SOFTMAX, LOG_SOFTMAX)}
    return len(dims) > 1
