"""The operations of a traced pass, as torch's kernels see them, with the user's expression of each."""

from __future__ import annotations

import sys
import weakref
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, Callable

from tensorpeek.probe.shapes.remarks.spots import Spot, spot_of
from tensorpeek.probe.shapes.values import size_of

MOST_OPERATIONS = 50_000
MOST_VIA = 12
VIEWS = frozenset({"view", "_unsafe_view", "reshape", "_reshape_alias"})
"""What keeps the order of the elements and gives them other dims."""
FIRST = 0
"""What `Value.follows` says of the dimension's size."""
UNKNOWN = -1


@dataclass(eq=False)
class Value:
    """A tensor as it was between two operations."""

    sizes: tuple[int, ...]
    """In the traced call; -1 where the data decide it."""
    dims: tuple[str, ...]
    """The same as torch writes it, as `3*s26`."""
    follows: tuple[int, ...]
    """How many entries of each dim belong to one sample; 0 for a dim that has nothing to do with the batch,
    -1 for one that follows it in another way."""
    maker: Operation | None
    """None for what was there before."""
    is_parameter: bool = False

    @property
    def batch_dim(self) -> int | None:
        """The only dim that follows the batch."""
        found = [dim for dim, count in enumerate(self.follows) if count]
        return found[0] if len(found) == 1 and self.follows[found[0]] > 0 else None


@dataclass(eq=False)
class Operation:
    name: str
    """As `view`, `_softmax`, `add`: of those in place, too."""
    inputs: list[Value]
    """The tensors among the arguments, in their order, also those in lists."""
    arguments: list[Any]
    """Numbers, and lists of them, in the places where they stand; None for what is neither."""
    spot: Spot | None
    """None where no code of the user's is on the stack."""
    via: tuple[str, ...]
    """The functions of libraries through which the user's expression came here, outermost first."""
    is_elementwise: bool
    outputs: list[Value] = field(default_factory=list[Value])


class Operations:
    """What one pass has done, in order."""

    def __init__(self, wants: Callable[[str], bool]) -> None:
        self.all: list[Operation] = []
        self.inputs: list[Value] = []
        """What the call was given."""
        self._wants = wants
        self._values: dict[int, tuple[weakref.ref[Any], Value]] = {}
        self._batch: set[Any] = set()
        """Torch's symbols for it."""
        self._kinds: dict[Any, int] = {}
        """By expressions with such symbols: 1 for a multiple of the batch, 0 for what is none at all."""
        self._samples = 0

    def give(self, tensors: list[Any]) -> None:
        """The call's inputs; the first dim of those that torch has a symbol for is the batch."""
        for tensor in tensors:
            first = tensor.shape[FIRST] if tensor.dim() else 0
            if not isinstance(first, int):
                self._batch |= first.node.expr.free_symbols
                self._samples = self._samples or size_of(first)
        self.inputs = [self._value(tensor) for tensor in tensors]

    def add(self, function: Any, arguments: tuple[Any, ...], output: Any, frame: FrameType | None) -> None:
        if len(self.all) >= MOST_OPERATIONS:
            return
        torch = sys.modules["torch"]
        name: str = function._schema.name.rpartition("::")[2]
        made = [each for each in _flat(output) if isinstance(each, torch.Tensor)]
        if not made:
            return
        given = [each for each in _flat(arguments) if isinstance(each, torch.Tensor)]
        spot, via = spot_of(frame, self._wants, MOST_VIA)
        operation = Operation(
            name if name.startswith("_") or not name.endswith("_") else name[:-1],
            [self._value(tensor) for tensor in given],
            [_plain(argument) for argument in arguments],
            spot,
            via,
            torch.Tag.pointwise in function.tags,
        )
        if operation.name in VIEWS and operation.inputs:
            self._settle(operation.inputs[0], made[0])
        operation.outputs = [self._value(tensor, operation) for tensor in made]
        self.all.append(operation)

    def _settle(self, before: Value, tensor: Any) -> None:
        """Torch writes a rest as `4*s0*(6//s0)`: where one dim is the batch, the others have none of it."""
        if before.batch_dim is None:
            return
        expressions = [size.node.expr for size in tensor.shape if type(size) is not int]
        whole = [each for each in expressions if each in self._batch]
        if len(whole) == 1:
            for each in expressions:
                if each not in self._batch and each not in self._kinds and each.free_symbols & self._batch:
                    self._kinds[each] = 0

    def _value(self, tensor: Any, maker: Operation | None = None) -> Value:
        known = self._values.get(id(tensor))
        if maker is None and known is not None and known[0]() is tensor:
            return known[1]
        shape = list(tensor.shape)
        sizes = tuple(size_of(size) for size in shape)
        follows = tuple(self._followed(size, now) for size, now in zip(shape, sizes))
        value = Value(
            sizes,
            tuple(self._written(size, now) for size, now in zip(shape, sizes)),
            follows,
            maker,
            maker is None and isinstance(tensor, sys.modules["torch"].nn.Parameter),
        )
        self._values[id(tensor)] = weakref.ref(tensor), value
        return value

    def _written(self, size: Any, now: int) -> str:
        is_settled = type(size) is not int and self._kinds.get(size.node.expr) == 0
        return str(now) if is_settled else str(size)

    def _followed(self, size: Any, now: int) -> int:
        if type(size) is int or not self._batch:
            return 0
        expression = size.node.expr
        if not expression.free_symbols & self._batch:
            return 0
        kind = self._kinds.get(expression)
        if kind is None:
            kind = self._kinds[expression] = 1 if self._is_multiple(expression) else UNKNOWN
        is_whole = now > 0 and self._samples and now % self._samples == 0
        return now // self._samples if kind == 1 and is_whole else min(kind, 0)

    def _is_multiple(self, expression: Any) -> bool:
        """Whether it grows in proportion to the batch; a half, rounded, of a prime is none."""
        shares = [expression.subs(dict.fromkeys(self._batch, prime)) / prime for prime in (7, 11, 13)]
        return shares[0] == shares[1] == shares[2] != 0


def follow(first: Operations, second: Operations, samples: int, name: str = "B") -> None:
    """What differs between two passes, of which the second has one sample less, follows the batch."""
    if len(first.all) != len(second.all):
        return
    for one, other in [(first.inputs, second.inputs)] + [
        (one.outputs, other.outputs) for one, other in zip(first.all, second.all) if one.name == other.name
    ]:
        for value, small in zip(one, other):
            if len(value.sizes) == len(small.sizes):
                value.follows = tuple(
                    _share(size, size - less, samples) for size, less in zip(value.sizes, small.sizes)
                )
                value.dims = tuple(_named(dim, share, name) for dim, share in zip(value.dims, value.follows))


def _named(dim: str, share: int, name: str) -> str:
    """Of what is a number; what is a symbol has a name of its own."""
    if share <= 0 or not dim.isdigit():
        return dim
    return name if share == 1 else f"{share}*{name}"


def _share(size: int, per_sample: int, samples: int) -> int:
    if per_sample == 0:
        return 0
    return per_sample if per_sample > 0 and per_sample * samples == size else UNKNOWN


def _flat(tree: Any) -> list[Any]:
    if isinstance(tree, (tuple, list)):
        return [leaf for branch in tree for leaf in _flat(branch)]  # pyright: ignore[reportUnknownVariableType]
    return [tree]


def _plain(argument: Any) -> Any:
    if argument is None or isinstance(argument, (bool, int)):
        return argument
    if isinstance(argument, (tuple, list)):
        return [_plain(each) for each in argument]  # pyright: ignore[reportUnknownVariableType]
    return size_of(argument) if hasattr(argument, "node") else None
