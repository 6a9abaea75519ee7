"""What made a tensor of a traced pass."""

from __future__ import annotations

from collections.abc import Iterator

from tensorpeek.probe.shape_faults import reshapes
from tensorpeek.probe.shape_faults.reshapes import MOST_BEHIND, Turn
from tensorpeek.probe.shapes.remarks.operations import VIEWS, Operation, Value

LINEAR = frozenset({"addmm", "mm", "linear"})
LAYERS = {"convolution": reshapes.CONVOLUTION, "embedding": reshapes.EMBEDDING}
PRESERVING = frozenset(
    {"clone", "_to_copy", "detach", "alias", "native_dropout", "native_batch_norm", "native_group_norm"}
    | {"_native_batch_norm_legit", "_native_batch_norm_legit_no_training", "cudnn_batch_norm"}
)
"""What leaves each dimension what it was, beside what is elementwise."""
MOST_STEPS = 40


class Ancestry:
    """Of the operand of a reshape, as a `Lineage`."""

    def __init__(self, value: Value) -> None:
        self._value = value

    def is_stacked(self) -> bool:
        maker = self._value.maker
        if maker is not None and maker.name == "clone":
            maker = maker.inputs[0].maker
        return maker is not None and maker.name == "stack" and stacking_dim(maker) == 0

    def layer(self) -> str:
        maker = origin(self._value).maker
        if maker is None:
            return ""
        return reshapes.LINEAR if is_linear(maker) else LAYERS.get(maker.name, "")

    def turns(self) -> Iterator[Turn]:
        for operation in behind(self._value):
            order = order_of(operation)
            if order is not None:
                yield Turn(operation.outputs[0].sizes, order, operation)


def is_linear(operation: Operation) -> bool:
    """The rows of features that a linear layer gives, or the view that gives them its input's dimensions."""
    if operation.name in VIEWS:
        given = operation.inputs[0]
        is_kept = given.sizes[-1:] == operation.outputs[0].sizes[-1:]
        return is_kept and given.maker is not None and is_linear(given.maker)
    return operation.name in LINEAR and _has_weight(operation)


def _has_weight(operation: Operation) -> bool:
    """Its second factor is a parameter, turned."""
    weight = operation.inputs[-1]
    made = weight.maker
    return weight.is_parameter or (made is not None and bool(made.inputs) and made.inputs[0].is_parameter)


def origin(value: Value) -> Value:
    """The tensor of which the value is a function element by element, dims and all."""
    for _ in range(MOST_STEPS):
        maker = value.maker
        if maker is None or not maker.inputs or not (maker.is_elementwise or maker.name in PRESERVING):
            return value
        same = [each for each in maker.inputs if each.sizes == value.sizes and not each.is_parameter]
        if not same:
            return value
        value = same[0]
    return value


def behind(value: Value) -> Iterator[Operation]:
    """What the elements were computed of, nearest first."""
    waiting, seen = [value.maker], set[Operation]()
    while waiting and len(seen) < MOST_BEHIND:
        operation = waiting.pop(0)
        if operation is None or operation in seen:
            continue
        seen.add(operation)
        yield operation
        waiting += [each.maker for each in operation.inputs]


def order_of(operation: Operation) -> tuple[int, ...] | None:
    """Where each dimension of a transpose's result was before; None for anything else."""
    rank = len(operation.outputs[0].sizes)
    numbers = operation.arguments[1:]
    if operation.name == "permute" and numbers and isinstance(numbers[0], list):
        return tuple(dim % rank for dim in numbers[0])
    if operation.name == "transpose" and rank and all(type(each) is int for each in numbers[:2]):
        first, second = numbers[0] % rank, numbers[1] % rank
        swapped = {first: second, second: first}
        return tuple(swapped.get(dim, dim) for dim in range(rank))
    return None


def stacking_dim(operation: Operation) -> int:
    return next((each for each in operation.arguments if type(each) is int), 0)
