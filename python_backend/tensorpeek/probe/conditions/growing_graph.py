"""Something adds up with every step: the graph of the loss, graphs that a meter keeps, or hooks."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from types import FrameType
from typing import TYPE_CHECKING, Any

from tensorpeek.catalogue import conditions
from tensorpeek.probe.conditions import ctx_outputs, inplace_errors
from tensorpeek.probe.conditions.condition import Condition
from tensorpeek.probe.conditions.growing_hooks import GrowingHooks
from tensorpeek.probe.conditions.kept_graphs import KeptGraphs
from tensorpeek.probe.training import source
from tensorpeek.probe.training.graph import Graph, graph_of, sequence_of
from tensorpeek.probe.training.moments import Failure, Loss, Step
from tensorpeek.probe.training.places import Place, place_of
from tensorpeek.probe.training.report import Report
from tensorpeek.probe.training.user_values import named_tensors

if TYPE_CHECKING:
    from tensorpeek.probe.training.training import Training

FEWEST_LOOKS = 2
HISTORY = 50
ALWAYS_NAMED = 3
"""Looks at a loss at which the frame's tensors are noted in any case, for an error in the next step."""


@dataclass
class Reach:
    """How far back the graph of one loss goes, as of the last look."""

    newest: int
    """The sequence number of the loss itself: what is at or below it belongs to earlier steps."""
    oldest: int
    counts: list[int] = field(default_factory=list)
    """Nodes at each look while it grows."""
    began: int = 0
    """Backward passes that had run when it began to grow."""
    looks: int = 0
    is_told: bool = False
    names: dict[int, str] = field(default_factory=dict)
    """Names of the frame's tensors by the sequence number of what made them."""
    carriers: list[str] = field(default_factory=list)
    """Names through which this step's graph reaches the last one's."""
    place: Place | None = None
    """Of the backward call."""


class GrowingGraph(Condition):
    info = conditions.GROWING_GRAPH
    samples = frozenset({"on_loss", "on_update"})

    def __init__(self, settings: Any) -> None:
        super().__init__(settings)
        window = int(settings["window"])
        self._reaches: dict[tuple[int, str], Reach] = {}
        """By thread, because each counts its own operations, and by the loss's name."""
        self._last: Reach | None = None
        self._hooks = GrowingHooks(window)
        self._kept = KeptGraphs(window)
        self._step_place: Place | None = None
        self._training: Training | None = None

    def on_loss(self, loss: Loss) -> Report | None:
        graph = graph_of(loss)
        if not graph.nodes:
            return None
        key = (threading.get_ident(), loss.name)
        reach = self._last = self._look(loss, graph, self._reaches.get(key))
        self._reaches[key] = reach
        passes = loss.training.clock.backwards - reach.began
        if len(reach.counts) >= FEWEST_LOOKS and passes >= self.settings["window"] and not reach.is_told:
            reach.is_told = True
            return _growing(loss, reach, passes)
        return ctx_outputs.in_graph(graph)

    def on_update(self, step: Step) -> Report | None:
        self._step_place = place_of(step.frame) or self._step_place
        self._training = step.training
        return self._hooks.look(step) or self._kept.look(step)

    def on_failure(self, failure: Failure) -> Report | None:
        last = self._last
        return inplace_errors.explain(failure, last.carriers if last is not None else [], self._step_place)

    def on_end(self) -> Report | None:
        # A short run may have had no time for a look between its first steps and its end.
        training = self._training
        if training is None:
            return ctx_outputs.in_memory()
        kept = self._kept.last_look(training.clock.step)
        return kept or self._hooks.last_look(training) or ctx_outputs.in_memory()

    def _look(self, loss: Loss, graph: Graph, before: Reach | None) -> Reach:
        sequences = {node.sequence for node in graph.nodes if not node.is_leaf}
        newest = sequence_of(loss.tensor.grad_fn)
        reach = Reach(newest, min(sequences, default=newest), place=place_of(loss.frame))
        count = len(graph.nodes)
        if before is None:
            reach.counts, reach.began = [count], loss.training.clock.backwards
        else:
            reach.looks, reach.is_told = before.looks + 1, before.is_told
            old = {number for number in sequences if number <= before.newest}
            is_longer = not graph.is_whole or count > before.counts[-1]
            if old and is_longer and (reach.oldest <= before.oldest or not graph.is_whole):
                reach.began = before.began
                reach.counts = [*before.counts[-HISTORY:], count]
                reach.oldest = min(reach.oldest, before.oldest)
            else:
                reach.counts = [count]
                reach.began = loss.training.clock.backwards
            if old:
                reach.carriers = _carriers(graph, old, before.names)
        if reach.looks < ALWAYS_NAMED or len(reach.counts) > 1:
            reach.names = _names(loss.frame)
        return reach


def _names(frame: FrameType | None) -> dict[int, str]:
    found: dict[int, str] = {}
    for name, tensor in named_tensors(frame):
        if tensor.grad_fn is not None:
            found.setdefault(sequence_of(tensor.grad_fn), name)
    return found


def _carriers(graph: Graph, old: set[int], names: dict[int, str]) -> list[str]:
    """The names under which the last step left what this step's graph goes on from."""
    edge = {
        graph.nodes[each.node].sequence
        for node in graph.nodes
        if node.sequence not in old
        for each in node.edges
        if each.node >= 0 and graph.nodes[each.node].sequence in old
    }
    found = [names[number] for number in sorted(edge, reverse=True) if number in names]
    return found or [names[number] for number in sorted(old, reverse=True) if number in names]


def _growing(loss: Loss, reach: Reach, passes: int) -> Report:
    name = reach.carriers[0] if reach.carriers else ""
    place = source.last_assignment(loss.frame, name) if name and loss.frame is not None else None
    first, last = reach.counts[0], reach.counts[-1]
    what = f"`{name}` carries" if name else "Something carries"
    hides = " retain_graph=True keeps torch from saying so." if loss.retains_graph else ""
    more = "" if place is not None else " It goes on from tensors of the step before."
    return Report(
        "Graph grows each step",
        f"{what} the graph of all previous steps: the graph of `{loss.name}` has {last} nodes, {first} of "
        f"them {passes} backward passes ago. Each pass runs through the whole history, and its memory is "
        f"never freed.{hides}{more}",
        place=place,
        value=float(last),
        history=[float(count) for count in reach.counts],
        evidence=[f"nodes: {', '.join(map(str, reach.counts))}"],
        next=[
            f"Cut it between two steps: {name} = {name}.detach()"
            + (", and leave retain_graph=True out." if loss.retains_graph else ".")
            if name
            else "detach() what goes from one step into the next."
        ],
    )
