"""What lies between a model's last layers and the root of a backward pass: the arithmetic of the loss."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tensorpeek.probe.conditions.condition import Condition
from tensorpeek.probe.replay.producer import Located, locate
from tensorpeek.probe.training import source
from tensorpeek.probe.training.graph import RESHAPES, Graph, Node, backwards_of, graph_of
from tensorpeek.probe.training.moments import Loss
from tensorpeek.probe.training.places import Place, place_of
from tensorpeek.probe.training.report import Report

MOST_NODES = 400
ARITHMETIC = RESHAPES | backwards_of(
    "Mean Sum Nanmean Nansum Pow Abs Sub Rsub Add Mul Div Neg Log Log1P Log1p Exp Expm1 Sqrt Rsqrt "
    "Cosh Reciprocal Logaddexp Clamp ClampMin ClampMax Maximum Minimum Where Sigmoid LogSigmoid Softplus "
    "Relu Tanh MaskedFill "
    "MaskedSelect Stack Cat MseLoss SmoothL1Loss HuberLoss BinaryCrossEntropyWithLogits BinaryCrossEntropy "
    "NllLoss NllLoss2D NllLossNd KlDiv Xlogy Logsumexp Addcmul Lerp LogSoftmax"
)
"""Operations by which losses are computed. Layers are not among them: their shapes are their own business."""


class NearLoss(Condition):
    """A condition on the operations near the loss; what a program does there it does in every step, so each
    loss is spoken of once.
    """

    samples = frozenset({"on_loss"})

    def __init__(self, settings: Any) -> None:
        super().__init__(settings)
        self._told: set[str] = set()

    def on_loss(self, loss: Loss) -> Report | None:
        if loss.name in self._told:
            return None
        graph = graph_of(loss)
        for node in near_nodes(graph):
            report = self.look(loss, graph, node)
            if report is not None:
                self._told.add(loss.name)
                return report
        return None

    def look(self, loss: Loss, graph: Graph, node: Node) -> Report | None:
        """What is wrong with one operation."""


def near_nodes(graph: Graph) -> Iterator[Node]:
    """The nodes that are reached from the loss through its arithmetic alone, the ends of it too."""
    if not graph.nodes:
        return
    waiting, seen = [0], {0}
    while waiting and len(seen) < MOST_NODES:
        node = graph.nodes[waiting.pop(0)]
        yield node
        if node.name not in ARITHMETIC:
            continue
        for edge in node.edges:
            if edge.node >= 0 and edge.node not in seen:
                seen.add(edge.node)
                waiting.append(edge.node)


def place_of_node(loss: Loss, node: Node) -> Place | None:
    """The user's line of the forward operation: by running the step again, else the line that made the
    loss.
    """
    found = located(loss, node)
    return found.place if found is not None else place_of_loss(loss)


def located(loss: Loss, node: Node) -> Located | None:
    """The forward operation, by running the step again."""
    record = loss.training.record
    return locate(record, list(node.path)) if record is not None else None


def place_of_loss(loss: Loss) -> Place | None:
    """Where the frame assigned what it calls backward on, else the line of that call."""
    if loss.frame is None:
        return None
    return source.last_assignment(loss.frame, loss.name) or place_of(loss.frame)
