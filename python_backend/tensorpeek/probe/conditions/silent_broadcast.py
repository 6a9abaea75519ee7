"""A loss of (N, 1) and (N,): torch makes an (N, N) table of differences, and says nothing."""

from __future__ import annotations

import ast
import math
from types import FrameType
from typing import Any, NamedTuple

from tensorpeek.catalogue import conditions
from tensorpeek.probe.conditions.near_loss import NearLoss, located, place_of_node
from tensorpeek.probe.replay.producer import Located
from tensorpeek.probe.shape_faults import pairs
from tensorpeek.probe.shape_faults.dimension_groups import Shape
from tensorpeek.probe.training import source
from tensorpeek.probe.training.graph import Edge, Graph, Node, backwards_of
from tensorpeek.probe.training.moments import Loss
from tensorpeek.probe.training.places import Place
from tensorpeek.probe.training.report import Report
from tensorpeek.probe.training.user_values import named_tensors, operands, user_frames

BINARY = backwards_of("Sub Rsub Add Mul Div Pow Maximum Minimum")
WITH_BROADCAST = backwards_of("MseLoss SmoothL1Loss HuberLoss")
"""Losses that expand their operands before anything is recorded."""
MEANT = backwards_of(" ".join(name.capitalize() for name in pairs.MEANT))
MOST_RUNS = 3
"""A step is run again in a copy of the process, which takes as long as a step."""
OPERATORS = (ast.Sub, ast.Add, ast.Mult, ast.Div, ast.Pow)


class Outer(NamedTuple):
    node: Node
    left: Shape
    """Of the operand that the gradient reaches."""
    right: Shape
    result: Shape


class SilentBroadcast(NearLoss):
    info = conditions.SILENT_BROADCAST

    def __init__(self, settings: Any) -> None:
        super().__init__(settings)
        self._run_again: dict[tuple[str, tuple[int, ...]], Located | None] = {}
        """Operations by the loss and the way to them."""

    def look(self, loss: Loss, graph: Graph, node: Node) -> Report | None:
        outer = outer_product(graph, node)
        return None if outer is None else self._report(loss, outer)

    def _report(self, loss: Loss, outer: Outer) -> Report | None:
        named = _operands_in_text(loss.frame, outer)
        is_certain = outer.node.name in WITH_BROADCAST or _is_known(outer)
        names = named[1] if named is not None else ("", "")
        place = named[0] if named is not None else None
        if named is None and not is_certain:
            found = self._seen_again(loss, outer)
            right = _tensor_of_shape(loss, outer) if found is None else ""
            if right is None or (found is not None and sorted(found.shapes) != sorted(outer[1:3])):
                return None
            names = ("", right)
            place = found.place if found is not None else None
        place = place or place_of_node(loss, outer.node)
        left, right = (f"{name} {list(shape)}".strip() for name, shape in zip(names, outer[1:3]))
        count = math.prod(outer.left)
        total = math.prod(outer.result)
        return Report(
            "Silent broadcast in the loss",
            f"{left} and {right} broadcast each other to {list(outer.result)}: "
            f"{pairs.consequence(count, total)}, so the loss is an average over pairs that do not belong "
            "together.",
            place=place,
            value=float(total),
            threshold=float(count),
            evidence=[left, right, f"{outer.node.name.replace('Backward', '')} {list(outer.result)}"],
            next=[pairs.advice(str(list(outer.left)), str(list(outer.right)))],
        )

    def _seen_again(self, loss: Loss, outer: Outer) -> Located | None:
        """With both operands: autograd knows one, and the function that names the other may have returned."""
        key = loss.name, outer.node.path
        if key not in self._run_again:
            if len(self._run_again) >= MOST_RUNS:
                return None
            self._run_again[key] = located(loss, outer.node)
        return self._run_again[key]


def outer_product(graph: Graph, node: Node) -> Outer | None:
    """Whether the operation's result is a table of all pairs of two tensors that have the same elements'
    count and differ in a last dimension of 1 only.
    """
    if not node.shapes or len(node.edges) > 3:
        return None
    result = node.shapes[0]
    for position, edge in enumerate(node.edges[:2]):
        if node.name in WITH_BROADCAST:
            found = _expanded(graph, node, edge)
        elif node.name in BINARY:
            others = [other for index, other in enumerate(node.edges[:2]) if index != position]
            found = _paired(graph, node, result, edge, others[0] if others else Edge(-1))
        else:
            return None
        if found is not None:
            return found
    return None


def _paired(graph: Graph, node: Node, result: Shape, edge: Edge, other: Edge) -> Outer | None:
    own = graph.operand_shape(edge)
    made_by = graph.source(edge)
    if own is None or made_by is None or made_by.is_leaf:
        return None
    if made_by.name == "ExpandBackward":
        partner_made_by = graph.source(other)
        is_whole = graph.operand_shape(other) == result
        if is_whole and partner_made_by is not None and partner_made_by.name != "ExpandBackward":
            return None  # expanded to what the other one is, as a norm by which each row is divided
        return _expanded(graph, node, edge)
    partner = pairs.partner_of(own, result)
    if partner is None or _is_meant(made_by):
        return None
    theirs = graph.operand_shape(other)
    their_maker = graph.source(other)
    if theirs is not None and (theirs != partner or their_maker is None or _is_meant(their_maker)):
        return None
    return Outer(node, own, partner, result)


def _is_meant(maker: Node) -> bool:
    """A reduction that keeps its dimension is half of a table of distances, as |x|² + |y|² − 2xy."""
    return maker.name in MEANT or getattr(maker.function, "_saved_keepdim", False) is True


def _expanded(graph: Graph, node: Node, edge: Edge) -> Outer | None:
    """The same where the library expanded the operand first, as losses of `functional` do."""
    expand = graph.source(edge)
    if expand is None or expand.name != "ExpandBackward" or not expand.edges or not expand.shapes:
        return None
    before = graph.operand_shape(expand.edges[0])
    made_by = graph.source(expand.edges[0])
    if before is None or made_by is None or made_by.is_leaf or made_by.name in MEANT:
        return None
    partner = pairs.partner_of(before, expand.shapes[0])
    return Outer(node, before, partner, expand.shapes[0]) if partner is not None else None


def _is_known(outer: Outer) -> bool:
    """Whether autograd itself gives both operands' shapes."""
    return all(edge.node >= 0 for edge in outer.node.edges[:2]) and len(outer.node.edges) > 1


def _operands_in_text(frame: FrameType | None, outer: Outer) -> tuple[Place, tuple[str, str]] | None:
    """The line whose operator stands between two names with these shapes, and the names."""
    for each in user_frames(frame):
        for node in source.own_nodes(source.body_of(each.f_code)):
            if not isinstance(node, ast.BinOp) or not isinstance(node.op, OPERATORS):
                continue
            left, right = operands(each, node.left), operands(each, node.right)
            if len(left) != 1 or len(right) != 1:
                continue
            names = (left[0][0], right[0][0])
            if not all(source.text(side) == name for side, name in zip((node.left, node.right), names)):
                continue
            shapes = (tuple(left[0][1].shape), tuple(right[0][1].shape))
            place = Place(each.f_code.co_filename, node.lineno, each.f_code.co_name)
            if shapes == (outer.left, outer.right):
                return place, names
            if shapes == (outer.right, outer.left):
                return place, (names[1], names[0])
    return None


def _tensor_of_shape(loss: Loss, outer: Outer) -> str | None:
    """The name of a tensor without gradient that has the other operand's shape; None as well where one has
    the result's shape, which would be no broadcast of two vectors at all.
    """
    found: str | None = None
    for name, tensor in named_tensors(loss.frame):
        if tensor.requires_grad:
            continue
        shape = tuple(tensor.shape)
        if shape == outer.result:
            return None
        if shape == outer.right and found is None:
            found = name
    return found
