"""The autograd graph of a loss, as far as it is worth walking: names, shapes and ages of its nodes.

Only what autograd says freely is read. A saved tensor is never asked for: that may run the user's hooks, or a
whole checkpointed forward.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tensorpeek.probe.training.moments import Loss

MOST_NODES = 4000
"""Of one walk, which takes about 2 µs each."""
NEWEST = 2**63
"""Leaves have no sequence number of their own; autograd gives them the largest."""
ACCUMULATE = "AccumulateGrad"


def backwards_of(operations: str) -> frozenset[str]:
    """The nodes' names of operations, as `SubBackward` of `Sub`."""
    return frozenset(f"{operation}Backward" for operation in operations.split())


RESHAPES = backwards_of(
    "View UnsafeView ReshapeAlias _ReshapeAlias _UnsafeView Unsqueeze Squeeze Alias Transpose T Permute "
    "Slice Select Clone ToCopy _ToCopy Contiguous Detach AsStrided Unbind Split Index Expand"
)
"""Operations that give the same elements, or some of them, in another order, shape or type."""


@dataclass
class Edge:
    """Where the gradient of one operand goes."""

    node: int
    """Index in `Graph.nodes`; -1 for an operand without gradient, -2 for one beyond the walk's end."""
    output: int = 0
    """Which of that node's outputs the operand was."""


@dataclass
class Node:
    function: Any
    """autograd's own; alive as long as the graph is."""
    name: str
    """As in `SubBackward`: without the number that tells overloads apart."""
    shapes: list[tuple[int, ...]]
    """Of the outputs of the forward operation."""
    sequence: int
    """Counts up with the forward operations of a thread; -1 for leaves."""
    path: tuple[int, ...]
    """How to get here from the loss, by indices of `next_functions`."""
    edges: list[Edge] = field(default_factory=list)

    @property
    def is_leaf(self) -> bool:
        return self.sequence < 0

    @property
    def leaf(self) -> Any:
        """The tensor whose `.grad` is written here."""
        return self.function.variable if self.is_leaf else None


@dataclass
class Graph:
    nodes: list[Node]
    """Breadth first: the loss's own node first."""
    is_whole: bool
    """Whether the walk came to every leaf."""

    def operand_shape(self, edge: Edge) -> tuple[int, ...] | None:
        """None where the operand has no gradient, or autograd does not say."""
        if edge.node < 0:
            return None
        shapes = self.nodes[edge.node].shapes
        return shapes[edge.output] if edge.output < len(shapes) else None

    def source(self, edge: Edge) -> Node | None:
        return self.nodes[edge.node] if edge.node >= 0 else None

    def behind_reshapes(self, edge: Edge) -> Node | None:
        """The node that made the operand's elements, past operations that only move them."""
        node = self.source(edge)
        for _ in range(20):
            if node is None or node.name not in RESHAPES or not node.edges:
                return node
            node = self.source(node.edges[0])
        return node

    def leaves(self) -> Iterator[Any]:
        return (node.leaf for node in self.nodes if node.is_leaf)


def graph_of(loss: Loss) -> Graph:
    """Walked once for all conditions of the moment, and gone with it."""
    known: Graph | None = loss.cache.get("graph")
    if known is None:
        known = loss.cache["graph"] = walk(loss.tensor.grad_fn)
    return known


def walk(root: Any, most: int = MOST_NODES) -> Graph:
    """Every node that the gradient reaches from `root`, a `grad_fn`, nearest first, at most `most`."""
    nodes: list[Node] = []
    index: dict[Any, int] = {}
    waiting: deque[int] = deque()

    def add(function: Any, path: tuple[int, ...]) -> int:
        if len(nodes) >= most:
            return -2
        index[function] = len(nodes)
        nodes.append(_node(function, path))
        waiting.append(index[function])
        return index[function]

    if root is not None:
        add(root, ())
    is_whole = True
    while waiting:
        node = nodes[waiting.popleft()]
        for position, (function, output) in enumerate(node.function.next_functions):
            number = -1
            if function is not None:
                number = index.get(function, -1)
                if number < 0:
                    number = add(function, (*node.path, position))
                is_whole = is_whole and number != -2
            node.edges.append(Edge(number, output))
    return Graph(nodes, is_whole)


def _node(function: Any, path: tuple[int, ...]) -> Node:
    sequence = sequence_of(function)
    name = plain_name(function)
    return Node(function, name, _shapes(function), -1 if name == ACCUMULATE else sequence, path)


def plain_name(function: Any) -> str:
    name: str = function.name().rpartition("::")[2]
    return name.rstrip("0123456789") if name.rstrip("0123456789").endswith("Backward") else name


def sequence_of(function: Any) -> int:
    """-1 for a leaf, and where this torch does not tell."""
    read = getattr(function, "_sequence_nr", None)
    number: int = read() if read is not None else -1
    return number if number < NEWEST else -1


def _shapes(function: Any) -> list[tuple[int, ...]]:
    metadata = getattr(function, "_input_metadata", ())
    return [_shape(entry) for entry in metadata]


def _shape(metadata: Any) -> tuple[int, ...]:
    try:
        return tuple(int(size) for size in metadata.shape)
    except (RuntimeError, TypeError, ValueError):
        return ()  # A nested tensor, or a size that is still a symbol.
