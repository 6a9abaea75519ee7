"""A view or reshape where a transpose belongs: the sizes fit, and the elements are another's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from tensorpeek.catalogue import conditions
from tensorpeek.probe.conditions.condition import Condition
from tensorpeek.probe.conditions.dimension_groups import Shape, is_merge_of, tears
from tensorpeek.probe.conditions.near_loss import place_of_node
from tensorpeek.probe.training.graph import Graph, Node, backwards_of, graph_of
from tensorpeek.probe.training.moments import Loss
from tensorpeek.probe.training.report import Related, Report

MOST_LOSSES = 3
"""Of one name that are looked at: a model reshapes in each step as in the first ones."""
MOST_BEHIND = 60
"""Operations between a transpose and the reshape that takes it for undone: attention has about 20."""
VIEWS = backwards_of("View UnsafeView _UnsafeView ReshapeAlias _ReshapeAlias")
ELEMENTWISE = backwards_of(
    "Relu LeakyRelu Gelu Silu Elu Hardtanh Hardswish Tanh Sigmoid Softplus Add Mul Div Sub Clone "
    "NativeDropout NativeBatchNorm CudnnBatchNorm MiopenBatchNorm NativeGroupNorm"
)
"""What leaves each dimension what it was."""


class Mixed(NamedTuple):
    before: Shape
    after: Shape
    meant: Shape
    """The sizes of `before` in the order in which they make `after`."""
    why: str
    maker: Node | None = None
    """The transpose that the reshape does not undo."""


class MixingReshape(Condition):
    info = conditions.MIXING_RESHAPE
    samples = frozenset({"on_loss"})

    def __init__(self, settings: Any) -> None:
        super().__init__(settings)
        self._seen: dict[str, int] = {}

    def on_loss(self, loss: Loss) -> Report | None:
        count = self._seen.get(loss.name, 0)
        if count >= MOST_LOSSES:
            return None
        self._seen[loss.name] = count + 1
        graph = graph_of(loss)
        sliced = _sliced(graph)
        for index, node in enumerate(graph.nodes):
            # A table of relative positions is shifted by reshaping it, and cut to size right behind that.
            if node.name not in VIEWS or index in sliced:
                continue
            mixed = mixing(graph, node)
            if mixed is not None:
                self._seen[loss.name] = MOST_LOSSES
                return _report(loss, node, mixed)
        return None


def mixing(graph: Graph, node: Node) -> Mixed | None:
    """What a view does to its operand, if that is surely not what was meant."""
    before = graph.operand_shape(node.edges[0]) if node.edges else None
    after = node.shapes[0] if node.shapes else ()
    if before is None or len(before) < 2 or len(after) < 2 or is_merge_of(before, after):
        return None
    stacked = _of_stacked(graph, node, before, after)
    if stacked is not None or not tears(before, after):
        return stacked
    return _not_undone(graph, node, before, after) or _of_layer(graph, node, before, after)


def _not_undone(graph: Graph, node: Node, before: Shape, after: Shape) -> Mixed | None:
    """The sizes before a transpose would make the result as they are, and those behind it do not."""
    for maker in _behind(graph, node):
        order = _order(graph, maker)
        if order is None:
            continue
        sizes = maker.shapes[0]
        # One of three stacked parts, as queries, keys and values, may have been taken in between.
        for taken in (None, *range(len(sizes))) if len(sizes) > len(before) else (None,):
            kept = [index for index in range(len(sizes)) if index != taken]
            if tuple(sizes[index] for index in kept) != before:
                continue
            meant = tuple(sizes[index] for index in sorted(kept, key=order.__getitem__))
            if meant != before and is_merge_of(meant, after):
                return Mixed(
                    before, after, meant, "They were transposed before, and never transposed back.", maker
                )
    return None


def _of_layer(graph: Graph, node: Node, before: Shape, after: Shape) -> Mixed | None:
    """Channels of a convolution taken for the last dimension, or features of an embedding for the second."""
    maker = _layer(graph, node)
    if maker is None or len(before) < 3 or before[0] != after[0]:
        return None
    if maker.name == "ConvolutionBackward":
        meant = (before[0], *before[2:], before[1])
        why = f"Its second dimension are the {before[1]} channels of a convolution."
    elif maker.name == "EmbeddingBackward":
        meant = (before[0], before[-1], *before[1:-1])
        why = f"Its last dimension are the {before[-1]} features of an embedding."
    else:
        return None
    return Mixed(before, after, meant, why) if is_merge_of(meant, after) else None


def _of_stacked(graph: Graph, node: Node, before: Shape, after: Shape) -> Mixed | None:
    """Parts that were stacked before the batch, as the last states of layers, taken for stacked behind it."""
    maker = graph.source(node.edges[0])
    if maker is not None and maker.name == "CloneBackward" and maker.edges:
        maker = graph.source(maker.edges[0])
    if maker is None or maker.name != "StackBackward" or getattr(maker.function, "_saved_dim", -1) != 0:
        return None
    meant = (before[1], before[0], *before[2:])
    if len(before) < 3 or before[0] == before[1] or after[0] != before[1] or not is_merge_of(meant, after):
        return None
    return Mixed(
        before, after, meant, f"{before[0]} tensors of {list(before[1:])} were stacked before the batch."
    )


def _behind(graph: Graph, node: Node) -> Iterator[Node]:
    """What the node's elements were computed of, nearest first."""
    waiting, seen = [edge.node for edge in node.edges if edge.node >= 0], set[int]()
    while waiting and len(seen) < MOST_BEHIND:
        index = waiting.pop(0)
        if index in seen:
            continue
        seen.add(index)
        yield graph.nodes[index]
        waiting += [edge.node for edge in graph.nodes[index].edges if edge.node >= 0]


def _layer(graph: Graph, node: Node) -> Node | None:
    """What made the elements, past operations that change neither shape nor meaning of the dimensions."""
    maker = graph.source(node.edges[0])
    for _ in range(20):
        if maker is None or maker.name not in ELEMENTWISE or not maker.edges:
            return maker
        inner = graph.source(maker.edges[0])
        if inner is None or not inner.shapes or inner.shapes[0] != maker.shapes[0]:
            return None
        maker = inner
    return None


def _order(graph: Graph, node: Node) -> tuple[int, ...] | None:
    """Where each dimension of a transpose's result was before; None for anything else."""
    if not node.shapes:
        return None
    rank = len(node.shapes[0])
    if node.name == "PermuteBackward":
        saved = getattr(node.function, "_saved_dims", None)
        order = tuple(_whole(size) % rank for size in saved) if saved is not None and rank else ()
        return order if len(order) == rank else None
    if node.name == "TransposeBackward":
        one, two = (getattr(node.function, name, None) for name in ("_saved_dim0", "_saved_dim1"))
        if one is None or two is None or not rank:
            return None
        first, second = _whole(one) % rank, _whole(two) % rank
        swapped = {first: second, second: first}
        return tuple(swapped.get(index, index) for index in range(rank))
    return None


def _whole(number: int) -> int:
    """autograd tells −1 without its sign."""
    return number - 2**64 if number >= 2**63 else number


def _sliced(graph: Graph) -> set[int]:
    return {edge.node for node in graph.nodes if node.name == "SliceBackward" for edge in node.edges}


def _report(loss: Loss, node: Node, mixed: Mixed) -> Report:
    before, after, meant = (list(shape) for shape in (mixed.before, mixed.after, mixed.meant))
    order = _permutation(mixed.before, mixed.meant)
    turned = f"permute{order}" if order else "permute or transpose"
    made = place_of_node(loss, mixed.maker) if mixed.maker is not None else None
    return Report(
        "Reshape that mixes",
        f"{before} is reshaped to {after} without being transposed to {meant} first: the sizes fit, but each "
        f"entry of the result is put together from parts of several others. {mixed.why}",
        place=place_of_node(loss, node),
        evidence=[f"{before} → {after}"],
        related=[Related(made, f"becomes {before} here")] if made is not None else [],
        next=[f"{turned} before the reshape: a reshape keeps the elements' order."],
    )


def _permutation(before: Shape, meant: Shape) -> tuple[int, ...]:
    """Empty where equal sizes leave it open."""
    return tuple(before.index(size) for size in meant) if len(set(before)) == len(before) else ()
