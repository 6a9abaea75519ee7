"""The layers that a line of an `__init__` makes, with the sizes that it says of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from tensorpeek.server.shapes.contradictions.sizes import Size, size_of
from tensorpeek.server.shapes.statements import Statement


@dataclass(frozen=True)
class Argument:
    """Which one of a class's arguments is the size of which dim."""

    position: int
    keyword: str
    dim: int
    """Of the input or output."""
    dims: int = 1
    """How many of these there are at least: a convolution also takes one sample without its batch."""


@dataclass(frozen=True)
class Kind:
    takes: Argument | None
    makes: Argument | None = None
    keeps: bool = False
    """Whether the output has the size that is taken."""


def _convolution(name: str, spatial: int) -> dict[str, Kind]:
    takes = Argument(0, "in_channels", -1 - spatial, spatial + 1)
    makes = Argument(1, "out_channels", -1 - spatial, spatial + 1)
    return {f"{name}{spatial}d": Kind(takes, makes)}


_FEATURES = Kind(Argument(0, "num_features", 1, 2), keeps=True)
_RECURRENT = Kind(Argument(0, "input_size", -1))
_TRANSFORMER = Kind(Argument(0, "d_model", -1), keeps=True)
_NORMALIZED = Kind(Argument(0, "normalized_shape", -1), keeps=True)
KINDS: dict[str, Kind] = {
    "Linear": Kind(Argument(0, "in_features", -1), Argument(1, "out_features", -1)),
    **_convolution("Conv", 1),
    **_convolution("Conv", 2),
    **_convolution("Conv", 3),
    **_convolution("ConvTranspose", 1),
    **_convolution("ConvTranspose", 2),
    **_convolution("ConvTranspose", 3),
    **dict.fromkeys(("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm"), _FEATURES),
    "GroupNorm": Kind(Argument(1, "num_channels", 1, 2), keeps=True),
    **dict.fromkeys(("LayerNorm", "RMSNorm"), _NORMALIZED),
    "Embedding": Kind(None, Argument(1, "embedding_dim", -1)),
    **dict.fromkeys(("RNN", "LSTM", "GRU", "RNNCell", "LSTMCell", "GRUCell"), _RECURRENT),
    "MultiheadAttention": Kind(Argument(0, "embed_dim", -1)),
    **dict.fromkeys(("TransformerEncoderLayer", "TransformerDecoderLayer"), _TRANSFORMER),
}
POINTWISE = frozenset(
    {
        "AlphaDropout",
        "CELU",
        "Dropout",
        "Dropout1d",
        "Dropout2d",
        "Dropout3d",
        "ELU",
        "GELU",
        "Hardsigmoid",
        "Hardswish",
        "Hardtanh",
        "Identity",
        "LeakyReLU",
        "LogSigmoid",
        "Mish",
        "ReLU",
        "ReLU6",
        "SELU",
        "Sigmoid",
        "SiLU",
        "Softplus",
        "Softsign",
        "Tanh",
    }
)
"""Classes whose output has the shape of their input."""


@dataclass(frozen=True)
class Layer:
    """One call of a class in the line."""

    path: tuple[str, ...]
    """Within its class, as `("net", "0")`."""
    kind: str
    node: ast.Call

    def takes(self) -> tuple[Size, ast.expr] | None:
        kind = KINDS.get(self.kind)
        return _argument(self.node, kind.takes) if kind and kind.takes else None

    def makes(self) -> tuple[Size, ast.expr] | None:
        kind = KINDS.get(self.kind)
        return _argument(self.node, kind.makes) if kind and kind.makes else None


def layers_in(statement: Statement) -> list[Layer]:
    """Of `self.x = …` in an `__init__`; those of a Sequential in their order, empty where it is not clear."""
    node = statement.node
    if not isinstance(node, ast.Assign) or not statement.function.endswith(".__init__"):
        return []
    target = node.targets[0]
    if len(node.targets) != 1 or not isinstance(target, ast.Attribute):
        return []
    if not isinstance(target.value, ast.Name) or target.value.id != "self":
        return []
    return list(_layers(node.value, (target.attr,)))


def is_same_but_for_sizes(old: list[Layer], new: list[Layer]) -> bool:
    """Whether the lines make layers of the same classes at the same places."""
    return bool(old) and [(each.path, each.kind) for each in old] == [(each.path, each.kind) for each in new]


def _layers(node: ast.expr, path: tuple[str, ...]) -> Iterator[Layer]:
    if not isinstance(node, ast.Call):
        return
    kind = ast.unparse(node.func).rpartition(".")[2]
    if kind != "Sequential":
        yield Layer(path, kind, node)
        return
    if not node.keywords and not any(isinstance(each, ast.Starred) for each in node.args):
        for index, each in enumerate(node.args):
            yield from _layers(each, (*path, str(index)))


def _argument(call: ast.Call, argument: Argument) -> tuple[Size, ast.expr] | None:
    if any(isinstance(each, ast.Starred) for each in call.args) or any(
        not each.arg for each in call.keywords
    ):
        return None
    named = next((each.value for each in call.keywords if each.arg == argument.keyword), None)
    node = named or (call.args[argument.position] if argument.position < len(call.args) else None)
    if isinstance(node, (ast.Tuple, ast.List)) and len(node.elts) == 1:
        node = node.elts[0]
    size = size_of(node) if node is not None else None
    return (size, node) if size is not None and node is not None else None
