"""The shapes that a tensor had on its way, read from its autograd graph: the last good ones before an error.

The graph knows the shape of everything that was computed, also of what no variable holds any more.
"""

from __future__ import annotations

import ast
import re
from typing import Any

from tensorpeek.probe.shape_errors.explanation import product, times
from tensorpeek.probe.shape_errors.failing import Failing
from tensorpeek.probe.training import source
from tensorpeek.probe.training.user_values import value_of

MOST = 8
"""Operations that are told."""
LEAF = "torch::autograd::AccumulateGrad"
VIEWS = ("View", "UnsafeView", "ReshapeAlias", "_ReshapeAlias")
NAMES = {
    "Addmm": "linear",
    "NativeBatchNorm": "batch_norm",
    "NativeLayerNorm": "layer_norm",
    "MaxPool2DWithIndices": "max_pool2d",
    "MeanDim": "mean",
    "T": "transpose",
    "Mm": "matmul",
    "MkldnnRnnLayer": "rnn",
    "UnsafeView": "view",
    "ReshapeAlias": "reshape",
}
"""What the user's code calls an operation, where autograd has another word for it."""
WORD = re.compile(r"^(?:torch::autograd::)?_?(\w+?)Backward\d*$")


def way_of(found: Failing, tensor: Any) -> list[str]:
    """The operations that made it, the last one last, each with its layer, line and shape."""
    lines: list[str] = []
    for node, shape in reversed(_chain(tensor, MOST)):
        match = WORD.match(node.name())
        word = match[1] if match else node.name()
        name = NAMES.get(word, word[:1].lower() + word[1:])
        layer = _layer(found, node)
        where = f", line {line}" if layer and (line := _line_of_call(found, layer)) else ""
        lines.append(f"{name}{f' ({layer}{where})' if layer else ''} → {shape}")
    return lines


def merged_from(tensor: Any) -> tuple[list[int], str]:
    """The shape that a view has made the tensor of, and how its last dimension came to be, as `32 × 6 × 6`.

    Empty where no view did.
    """
    chain = _chain(tensor, 2)
    if len(chain) < 2 or not any(chain[0][0].name().startswith(f"{view}Backward") for view in VIEWS):
        return [], ""
    before, after = chain[1][1], chain[0][1]
    for first in range(len(before)):
        if after and product(before[first:]) == after[-1] and len(before[first:]) > 1:
            return before, times(before[first:])
    return before, ""


def _chain(tensor: Any, most: int) -> list[tuple[Any, list[int]]]:
    """The nodes that lead to the tensor, nearest first, with the shapes of what they made."""
    found: list[tuple[Any, list[int]]] = []
    node, number = getattr(tensor, "grad_fn", None), int(getattr(tensor, "output_nr", 0))
    while node is not None and len(found) < most and node.name() != LEAF:
        metadata = getattr(node, "_input_metadata", None)
        if metadata is None or number >= len(metadata):
            break
        found.append((node, [int(size) for size in metadata[number].shape]))
        following = [each for each in node.next_functions if each[0] is not None and not _is_weight(each[0])]
        node, number = following[0] if following else (None, 0)
    return found


def _is_weight(node: Any) -> bool:
    if node.name() == LEAF:
        return True
    after = [each for each, _ in node.next_functions if each is not None]
    return node.name() == "TBackward0" and len(after) == 1 and after[0].name() == LEAF


def _layer(found: Failing, node: Any) -> str:
    """The path of the module whose parameters take part."""
    for child, _ in node.next_functions:
        leaf = child
        if leaf is not None and leaf.name() == "TBackward0":
            leaf = leaf.next_functions[0][0]
        if leaf is None or leaf.name() != LEAF:
            continue
        name = found.failure.training.models.name_of_parameter(leaf.variable)
        if name:
            return name.rpartition(".")[0]
    return ""


def _line_of_call(found: Failing, path: str) -> int:
    """Where the failing function calls the module, when exactly one line does; 0 otherwise."""
    owner = value_of(found.frame, "self")
    lines = {
        node.lineno
        for node in source.own_nodes(source.body_of(found.frame.f_code))
        if isinstance(node, ast.Call)
        and source.text(node.func).startswith("self.")
        and found.failure.training.models.module_path(value_of(found.frame, source.text(node.func))) == path
    }
    return lines.pop() if owner is not None and len(lines) == 1 else 0
