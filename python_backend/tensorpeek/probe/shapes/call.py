"""A call of a model that is to be traced, and how it becomes one without data or one of a copy."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any, Callable

from tensorpeek.probe.shapes import model_copy

DYNAMIC_TIME_DTYPES = ("torch.int64", "torch.int32")
"""Of inputs whose second dim is a time: rows of tokens."""


@dataclass(frozen=True)
class Call:
    function: Any
    """A module, or what else is called."""
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def run(self) -> Any:
        return self.function(*self.args, **self.kwargs)


@dataclass(frozen=True)
class Target:
    """What is to be traced."""

    entry: str
    """As `Net.forward(x)`."""
    model: Any
    build: Callable[[], Any] | None
    """Makes the model with its data, where `model` has none."""
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def real(self) -> Call:
        """On a copy, so that buffers and whatever the model notes in itself stay as they are."""
        if self.build is not None:
            return Call(self.build(), self.args, self.kwargs)
        return Call(model_copy.with_shared_parameters(self.model), self.args, self.kwargs)

    def without_data(self, mode: Any, symbolic_dims: int) -> tuple[Call, dict[str, Role]]:
        """Under a FakeTensorMode. `symbolic_dims`: 0 none, 1 the batch, 2 the times of tokens too."""
        inputs = Inputs(mode, symbolic_dims, batch_of(self.args, self.kwargs))
        args, kwargs = inputs.converted(self.args), inputs.converted(self.kwargs)
        return Call(model_copy.without_data(self.model, mode), args, kwargs), inputs.roles


@dataclass(frozen=True)
class Role:
    """What a raw symbol of torch's stands for."""

    name: str
    """`B` or `T`."""
    size: int
    origin: str
    dim: Any = None
    """Torch's symbol itself, which becomes a number where the model does not take another size."""

    def is_symbol(self) -> bool:
        return not str(self.dim).isdigit()


class Inputs:
    """Makes fake tensors of the tensors in arguments."""

    def __init__(self, mode: Any, symbolic_dims: int, batch: int) -> None:
        self._mode = mode
        self._symbolic_dims = symbolic_dims
        self._batch = batch
        self.roles: dict[str, Role] = {}

    def converted(self, tree: Any) -> Any:
        return model_copy.with_tensors(tree, self._one)

    def _one(self, value: Any) -> Any:
        if type(value).__name__ == "FakeTensor":
            return value
        wanted = self._wanted(value)
        if not wanted:
            return self._mode.from_tensor(value, static_shapes=True)
        symbolic: Any = sys.modules["torch.fx.experimental.symbolic_shapes"]
        dynamic, static = symbolic.DimDynamic.DYNAMIC, symbolic.DimDynamic.STATIC
        dims = [dynamic if dim in wanted else static for dim in range(value.dim())]
        if value.shape[0] == 1:
            # A size of 1 broadcasts, so torch gives it no name; what is traced is a batch of two.
            value = value.expand(2, *value.shape[1:])
        fake = self._mode.from_tensor(
            value, symbolic_context=symbolic.StatelessSymbolicContext(dynamic_sizes=dims)
        )
        for dim, name in wanted.items():
            size = fake.shape[dim]
            if not isinstance(size, int):
                origin = "the batch" if name == "B" else "the second dim of an input of integers"
                self.roles[str(size)] = Role(name, int(value.shape[dim]), origin, size)
        return fake

    def _wanted(self, tensor: Any) -> dict[int, str]:
        if not self._symbolic_dims or tensor.dim() == 0 or tensor.shape[0] != self._batch:
            return {}
        wanted = {0: "B"}
        is_tokens = str(tensor.dtype) in DYNAMIC_TIME_DTYPES and tensor.dim() == 2 and tensor.shape[1] > 1
        if self._symbolic_dims > 1 and is_tokens:
            wanted[1] = "T"
        return wanted


def tensors_of(tree: Any) -> list[Any]:
    found: list[Any] = []

    def noted(tensor: Any) -> Any:
        found.append(tensor)
        return tensor

    model_copy.with_tensors(tree, noted)
    return found


def batch_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> int:
    """The first size of the first tensor that has one; 0 where there is none."""
    return next((int(tensor.shape[0]) for tensor in tensors_of((args, kwargs)) if tensor.dim()), 0)


def length_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> int:
    """The times of rows of tokens; 0 where there are none."""
    return next(
        (
            int(tensor.shape[1])
            for tensor in tensors_of((args, kwargs))
            if tensor.dim() == 2 and str(tensor.dtype) in DYNAMIC_TIME_DTYPES
        ),
        0,
    )
