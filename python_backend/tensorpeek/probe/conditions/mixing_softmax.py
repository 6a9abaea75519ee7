"""A softmax over the samples of a batch where attention wants one over the keys."""

from __future__ import annotations

from tensorpeek.probe.conditions.near_loss import place_of_node
from tensorpeek.probe.training.graph import Graph, Node, backwards_of
from tensorpeek.probe.training.moments import Loss
from tensorpeek.probe.training.report import Report
from tensorpeek.probe.training.tensors_in import tensors_of_call

BETWEEN = backwards_of(
    "Div Mul MaskedFill Where Add Sub View UnsafeView _UnsafeView ReshapeAlias _ReshapeAlias"
)
"""What stands between the product of queries and keys and its softmax: a scale, a mask."""
FARTHEST = 8


def report(loss: Loss, graph: Graph) -> Report | None:
    for node in graph.nodes:
        if node.name == "SoftmaxBackward" and _is_over_samples(loss, graph, node):
            shape = list(node.shapes[0])
            return Report(
                "Softmax over the batch",
                f"The softmax of attention scores {shape} is over dimension 0, the {shape[0]} samples of the "
                "batch: each position of a sample competes with the same position of the others, and the "
                "weights of its own keys do not add up to 1.",
                place=place_of_node(loss, node),
                value=float(shape[0]),
                next=["softmax(dim=-1): the keys are the last dimension of queries @ keys."],
            )
    return None


def _is_over_samples(loss: Loss, graph: Graph, node: Node) -> bool:
    """Only of a batched product, whose dimension 0 is never one of keys, and only if it is the batch's."""
    shape = node.shapes[0] if node.shapes else ()
    dimension = getattr(node.function, "_saved_dim", None)
    if dimension is None or len(shape) < 3 or shape[0] < 2:
        return False
    number = int(dimension) - 2**64 if int(dimension) >= 2**63 else int(dimension)
    record = loss.training.record
    if number % len(shape) != 0 or record is None:
        return False
    first = next((tensor for _, tensor in tensors_of_call(record.args, dict(record.kwargs))), None)
    if first is None or not first.dim() or first.shape[0] != shape[0]:
        return False
    return _is_of_product(graph, node)


def _is_of_product(graph: Graph, node: Node) -> bool:
    maker = graph.source(node.edges[0]) if node.edges else None
    for _ in range(FARTHEST):
        if maker is None:
            return False
        if maker.name in ("BmmBackward", "MatmulBackward", "BaddbmmBackward"):
            return True
        if maker.name not in BETWEEN or not maker.edges:
            return False
        maker = graph.source(maker.edges[0])
    return False
