"""Probabilities where a loss wants logits: softmax is applied twice, and the loss has a floor far above 0."""

from __future__ import annotations

import math
from typing import NamedTuple

from tensorpeek.catalogue import conditions
from tensorpeek.probe.conditions.near_loss import NearLoss, place_of_node
from tensorpeek.probe.shape_faults.classes import taken_for_classes
from tensorpeek.probe.training import source
from tensorpeek.probe.training.graph import Edge, Graph, Node
from tensorpeek.probe.training.moments import Loss
from tensorpeek.probe.training.report import Report

SOFTMAX, SIGMOID, LOG_SOFTMAX = "SoftmaxBackward", "SigmoidBackward", "LogSoftmaxBackward"
NLL = frozenset({"NllLossBackward", "NllLoss2DBackward", "NllLossNdBackward"})
BCE_WITH_LOGITS = "BinaryCrossEntropyWithLogitsBackward"
KL_DIV = "kl_div"
LAYERS = frozenset({"AddmmBackward", "ConvolutionBackward", "LinearBackward"})
"""What ends in raw scores. Other things that could be log-probabilities are left alone."""
FLOOR_FOR_POSITIVES = math.log1p(math.exp(-1))
FLOOR_FOR_NEGATIVES = math.log(2)


class Wrong(NamedTuple):
    node: Node
    """The loss's own operation."""
    loss: str
    gets: str
    """What comes in."""
    source: str
    """The operation that made it."""
    floor: float | None
    consequence: str
    advice: str


class LossInput(NearLoss):
    info = conditions.LOSS_INPUT

    def look(self, loss: Loss, graph: Graph, node: Node) -> Report | None:
        wrong = _wrong(graph, node)
        if wrong is None or (wrong.loss == KL_DIV and not _is_written(loss, "kl_div", "KLDivLoss")):
            return None
        return self._report(loss, wrong)

    def _report(self, loss: Loss, wrong: Wrong) -> Report:
        modules = _modules_named(loss, wrong.source)
        by = f" (module `{modules[0]}` is a {wrong.source})" if len(modules) == 1 else ""
        shape = list(wrong.node.shapes[0]) if wrong.node.shapes else []
        return Report(
            "Loss fed with the wrong thing",
            f"{wrong.loss} gets {wrong.gets}{by}. {wrong.consequence}",
            place=place_of_node(loss, wrong.node),
            module=modules[0] if len(modules) == 1 else "",
            value=loss.value,
            threshold=wrong.floor,
            evidence=[f"{wrong.source} → {wrong.node.name.replace('Backward', '')} {shape}"],
            next=[wrong.advice],
        )


def _wrong(graph: Graph, node: Node) -> Wrong | None:
    if not node.edges:
        return None
    if node.name == LOG_SOFTMAX:
        return _twice(graph, node)
    if node.name in NLL:
        other = _other_dimension(graph, node)
        if other is not None:
            return other
    if node.name == "SubBackward":
        return _divergence(graph, node)
    made_by = graph.behind_reshapes(node.edges[0])
    if made_by is None:
        return None
    if node.name == BCE_WITH_LOGITS and made_by.name in (SIGMOID, SOFTMAX):
        name = "Sigmoid" if made_by.name == SIGMOID else "Softmax"
        return Wrong(
            node,
            "binary_cross_entropy_with_logits",
            f"probabilities, the output of {name.lower()}, instead of logits",
            name,
            FLOOR_FOR_POSITIVES,
            f"It applies sigmoid itself, so that the loss cannot fall below {FLOOR_FOR_POSITIVES:.3f} for "
            f"targets of 1 and {FLOOR_FOR_NEGATIVES:.3f} for targets of 0.",
            f"Leave the {name.lower()} out before this loss, or use binary_cross_entropy.",
        )
    if node.name in NLL and made_by.name in LAYERS | {SOFTMAX, SIGMOID}:
        name = {SOFTMAX: "Softmax", SIGMOID: "Sigmoid"}.get(made_by.name, "Linear")
        gets = "raw scores" if made_by.name in LAYERS else "probabilities"
        return Wrong(
            node,
            "nll_loss",
            f"{gets} instead of log-probabilities",
            name,
            None,
            "It only picks the target's value and changes its sign: the loss falls without end, or its "
            "gradient ignores the other classes.",
            "Use cross_entropy on the raw scores, or log_softmax before nll_loss.",
        )
    return None


def _divergence(graph: Graph, node: Node) -> Wrong | None:
    """kl_div, which autograd knows as `target·log(target) − target·input`, of probabilities."""
    if len(node.edges) < 2 or node.edges[0].node >= 0:
        return None
    product = graph.source(node.edges[1])
    if product is None or product.name != "MulBackward":
        return None
    factors = [graph.behind_reshapes(edge) for edge in product.edges]
    made_by = next((each for each in factors if each is not None), None)
    if (
        made_by is None
        or made_by.name not in (SOFTMAX, *LAYERS)
        or sum(each is not None for each in factors) > 1
    ):
        return None
    name = "Softmax" if made_by.name == SOFTMAX else "Linear"
    return Wrong(
        node,
        KL_DIV,
        f"{'probabilities' if name == 'Softmax' else 'raw scores'} instead of log-probabilities",
        name,
        None,
        "Its first argument is a logarithm: so the loss is no distance of two distributions, can fall below "
        "0, and is least where the student is surest.",
        "Use log_softmax for the first argument of kl_div; the second stays a softmax.",
    )


def _other_dimension(graph: Graph, node: Node) -> Wrong | None:
    """Log-probabilities over the samples or positions, given as they are to nll_loss, whose classes are the
    second dimension.
    """
    made_by = graph.source(node.edges[0])
    if made_by is not None and made_by.name == "LogBackward" and made_by.edges:
        made_by = graph.source(made_by.edges[0])
    if made_by is None or made_by.name not in (LOG_SOFTMAX, SOFTMAX) or not made_by.shapes:
        return None
    shape, dimension = made_by.shapes[0], _dimension(made_by)
    if dimension is None or len(shape) < 2:
        return None
    number = dimension + len(shape)
    over = taken_for_classes(shape, number)
    if not over:
        return None
    return Wrong(
        node,
        "nll_loss",
        f"log-probabilities over dimension {number}, the {shape[number]} {over}, instead of over the "
        f"{shape[1]} classes in dimension 1",
        "LogSoftmax" if made_by.name == LOG_SOFTMAX else "Softmax",
        None,
        f"Each of the {over} competes with the others for a class, and the probabilities of its own classes "
        "do not add up to 1.",
        f"Use dim=1 instead of dim={number} in the softmax, or cross_entropy on the raw scores.",
    )


def _twice(graph: Graph, node: Node) -> Wrong | None:
    """log_softmax of probabilities, which cross_entropy does inside."""
    made_by = graph.behind_reshapes(node.edges[0])
    if made_by is None or not node.shapes or not _is_probability(graph, made_by):
        return None
    if made_by.name == SOFTMAX and not _same_dimension(made_by, node):
        return None
    classes = _classes(node)
    if classes < 2:
        return None
    name = "Sigmoid" if made_by.name == SIGMOID else "Softmax"
    floor = math.log1p((classes - 1) / math.e)
    return Wrong(
        node,
        "cross_entropy (log_softmax)",
        f"probabilities, the output of {name.lower()}, instead of logits",
        name,
        floor,
        f"It applies softmax itself: with {classes} classes whose inputs lie between 0 and 1 the loss cannot "
        f"fall below {floor:.3f}, and gradients are small.",
        f"Leave the {name.lower()} out before this loss; apply it only where probabilities are shown or "
        f"compared.",
    )


def _is_probability(graph: Graph, node: Node) -> bool:
    if node.name in (SOFTMAX, SIGMOID):
        return True
    # Written by hand: exp(x) / exp(x).sum(…).
    if node.name != "DivBackward" or len(node.edges) < 2:
        return False
    above, below = graph.source(node.edges[0]), graph.source(node.edges[1])
    return above is not None and above.name == "ExpBackward" and _is_sum_of(graph, below, node.edges[0])


def _is_sum_of(graph: Graph, node: Node | None, of: Edge) -> bool:
    return (
        node is not None and node.name == "SumBackward" and bool(node.edges) and node.edges[0].node == of.node
    )


def _dimension(node: Node) -> int | None:
    """Of a softmax, counted from the end; None where this torch does not say."""
    dimension = getattr(node.function, "_saved_dim", None)
    if dimension is None or not node.shapes:
        return None
    rank = len(node.shapes[0])
    number = int(dimension)
    if number >= 2**63:
        number -= 2**64
    return number - rank if number >= 0 else number


def _same_dimension(first: Node, second: Node) -> bool:
    """Whether both normalize over as many entries; a softmax over something else is not the classes'."""
    one, two = _dimension(first), _dimension(second)
    if one is None or two is None:
        return True
    return first.shapes[0][one] == second.shapes[0][two]


def _classes(node: Node) -> int:
    dimension = _dimension(node)
    shape = node.shapes[0]
    return shape[dimension] if dimension is not None and -len(shape) <= dimension < 0 else 0


def _is_written(loss: Loss, *names: str) -> bool:
    """Whether the program calls one of these: its arithmetic alone could be anybody's."""
    roots = loss.training.models.roots()
    return any(source.calls(path, *names) for path in source.user_files(loss.frame, roots))


def _modules_named(loss: Loss, kind: str) -> list[str]:
    """The paths of the models' modules of that class."""
    if kind not in ("Softmax", "Sigmoid"):
        return []
    return [
        loss.training.models.module_path(module)
        for root in loss.training.models.roots()
        for module in root.modules()
        if type(module).__name__ == kind
    ]
