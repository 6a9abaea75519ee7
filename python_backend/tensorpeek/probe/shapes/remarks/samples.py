"""Where the samples of the batch lie in each tensor of a pass, by the arithmetic of indices.

A view leaves the elements in their order, so that a tensor's samples are told by one number: `inner`, how
many elements in a row belong to the same sample. The sample of the n-th element is `n // inner % samples`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from tensorpeek.probe.shapes.remarks.operations import VIEWS, Operation, Operations, Value


@dataclass(frozen=True)
class Torn:
    """A view whose batch dim is not where the samples are."""

    operation: Operation
    inner: int
    """As it is."""
    taken: int
    """As the result's shape has it."""

    def row(self) -> list[int]:
        """The samples whose elements are in the first row of the result."""
        count = self.operation.inputs[0]
        samples = _samples(count)
        step = math.gcd(self.inner, self.taken)
        return sorted({at // self.inner % samples for at in range(0, self.taken, step)})


class Samples:
    """Of one pass; `torn` are the views that mix."""

    def __init__(self, operations: Operations) -> None:
        self.torn: dict[Operation, Torn] = {}
        self._parts: dict[Value, int] = {}
        """How many neighbours in the batch dim belong to one sample, where that is known."""
        for value in operations.inputs:
            if value.batch_dim is not None:
                self._parts[value] = 1
        for operation in operations.all:
            self._step(operation)

    def dim(self, value: Value) -> int | None:
        """The dim in which the batch is by itself."""
        dim = value.batch_dim
        return dim if dim is not None and value.follows[dim] == 1 else None

    def inner(self, value: Value) -> int | None:
        """Elements in a row of one sample."""
        dim, part = value.batch_dim, self._part(value)
        if dim is None or part is None or -1 in value.sizes:
            return None
        return part * math.prod(value.sizes[dim + 1 :])

    def _part(self, value: Value) -> int | None:
        known = self._parts.get(value)
        if known is None and value.batch_dim is not None and value.follows[value.batch_dim] == 1:
            # A size that is the batch's is the batch.
            return 1
        return known

    def _step(self, operation: Operation) -> None:
        first = operation.inputs[0] if operation.inputs else None
        if operation.name in VIEWS and first is not None:
            self._view(operation, first)
            return
        for output in operation.outputs:
            dim = output.batch_dim
            if dim is None or output.follows[dim] == 1:
                continue
            givers = [value for value in operation.inputs if _could_give(operation, value, output)]
            parts = {self._part(value) for value in givers} - {None}
            part = parts.pop() if len(parts) == 1 else None
            if part is not None and output.follows[dim] % part == 0:
                self._parts[output] = part

    def _view(self, operation: Operation, value: Value) -> None:
        inner = self.inner(value)
        for output in operation.outputs:
            dim = output.batch_dim
            if inner is None or dim is None or -1 in output.sizes:
                continue
            behind = math.prod(output.sizes[dim + 1 :])
            part = inner // behind
            if inner % behind == 0 and part and output.follows[dim] % part == 0:
                self._parts[output] = part
            # Where the batch is no dim of its own, it may be one that the code has as a number.
            elif output.follows[dim] == 1:
                self.torn[operation] = Torn(operation, inner, behind)


def _could_give(operation: Operation, value: Value, output: Value) -> bool:
    """Whether the rows of the output are those of an input."""
    dim, own = output.batch_dim, value.batch_dim
    if dim is None or own is None:
        return False
    if operation.name in ("cat", "repeat"):
        return output.follows[dim] % value.follows[own] == 0
    return output.follows[dim] == value.follows[own]


def _samples(value: Value) -> int:
    dim = value.batch_dim
    return value.sizes[dim] // value.follows[dim] if dim is not None else 1
