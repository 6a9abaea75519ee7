"""A view or reshape where a transpose belongs: the sizes fit, and the elements are another's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tensorpeek.catalogue import conditions
from tensorpeek.probe.conditions import mixing_softmax
from tensorpeek.probe.conditions.condition import Condition
from tensorpeek.probe.conditions.near_loss import place_of_node
from tensorpeek.probe.shape_faults import reshapes
from tensorpeek.probe.shape_faults.reshapes import MOST_BEHIND, Mixed, Turn
from tensorpeek.probe.training.graph import Graph, Node, backwards_of, graph_of
from tensorpeek.probe.training.moments import Loss
from tensorpeek.probe.training.report import Related, Report

MOST_LOSSES = 3
"""Of one name that are looked at: a model reshapes in each step as in the first ones."""
VIEWS = backwards_of("View UnsafeView _UnsafeView ReshapeAlias _ReshapeAlias")
ELEMENTWISE = backwards_of(
    "Relu LeakyRelu Gelu Silu Elu Hardtanh Hardswish Tanh Sigmoid Softplus Add Mul Div Sub Clone "
    "NativeDropout NativeBatchNorm CudnnBatchNorm MiopenBatchNorm NativeGroupNorm"
)
"""What leaves each dimension what it was."""
ROWS = backwards_of("Addmm Mm")
LAYERS = {"ConvolutionBackward": reshapes.CONVOLUTION, "EmbeddingBackward": reshapes.EMBEDDING}


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
        return mixing_softmax.report(loss, graph)


def mixing(graph: Graph, node: Node) -> Mixed | None:
    before = graph.operand_shape(node.edges[0]) if node.edges else None
    if before is None or not node.shapes:
        return None
    return reshapes.mixing(before, node.shapes[0], _Ancestors(graph, node))


class _Ancestors:
    """What autograd knows of a view's operand."""

    def __init__(self, graph: Graph, node: Node) -> None:
        self._graph, self._node = graph, node

    def is_stacked(self) -> bool:
        maker = self._graph.source(self._node.edges[0])
        if maker is not None and maker.name == "CloneBackward" and maker.edges:
            maker = self._graph.source(maker.edges[0])
        return (
            maker is not None
            and maker.name == "StackBackward"
            and getattr(maker.function, "_saved_dim", -1) == 0
        )

    def layer(self) -> str:
        maker = _layer(self._graph, self._node)
        if maker is None:
            return ""
        return reshapes.LINEAR if _is_linear(self._graph, maker) else LAYERS.get(maker.name, "")

    def turns(self) -> Iterator[Turn]:
        for maker in _behind(self._graph, self._node):
            order = _order(self._graph, maker)
            if order is not None:
                yield Turn(maker.shapes[0], order, maker)


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


def _is_linear(graph: Graph, maker: Node) -> bool:
    """A linear layer gives rows of features, which get the dimensions of its input back."""
    rows = graph.source(maker.edges[0]) if maker.name in VIEWS and maker.edges else None
    if rows is None or rows.name not in ROWS or not rows.shapes or not maker.shapes:
        return False
    return rows.shapes[0][-1:] == maker.shapes[0][-1:]


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
    before, after = list(mixed.before), list(mixed.after)
    made = place_of_node(loss, mixed.maker) if mixed.maker is not None else None
    return Report(
        "Reshape that mixes",
        mixed.message(),
        place=place_of_node(loss, node),
        evidence=[f"{before} → {after}"],
        related=[Related(made, f"becomes {before} here")] if made is not None else [],
        next=[mixed.advice()],
    )
