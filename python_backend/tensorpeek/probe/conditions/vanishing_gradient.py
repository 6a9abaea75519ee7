"""Gradients that reach the late layers of a model and not the early ones."""

from __future__ import annotations

import math
from collections.abc import Mapping

from tensorpeek.catalogue import conditions
from tensorpeek.probe.conditions.condition import Condition
from tensorpeek.probe.training.figures import figure
from tensorpeek.probe.training.moments import Step
from tensorpeek.probe.training.norms import gradient_norms
from tensorpeek.probe.training.parameters import is_matrix, with_gradients
from tensorpeek.probe.training.report import Report

FEWEST = 4
"""Weights that make a depth."""


class VanishingGradient(Condition):
    """Compares the gradient per weight of the first third of the layers with that of the last third.

    Only weights count: the gradient of a bias before a normalization is nothing by nature. An exact zero is
    not judged, since it says that a path is cut or dead, not that it is long.
    """

    info = conditions.VANISHING_GRADIENT
    samples = frozenset({"on_gradients"})

    def __init__(self, settings: Mapping[str, float]) -> None:
        super().__init__(settings)
        self._in_a_row: dict[int, int] = {}
        """Measured steps with vanishing gradients, by the optimizer's id."""

    def on_gradients(self, step: Step) -> Report | None:
        norms = gradient_norms(step)
        sizes = {
            each.name: norms[each.name] / math.sqrt(each.parameter.numel())
            for each in with_gradients(step)
            if each.name in norms and is_matrix(each.parameter)
        }
        key = id(step.optimizer)
        third = len(sizes) // 3
        names = list(sizes)
        early, late = names[: max(third, 1)], names[-max(third, 1) :]
        smallest, largest = _largest(sizes, early), _largest(sizes, late)
        holds = (
            len(sizes) >= FEWEST
            and min(sizes[name] for name in early) > 0
            and math.isfinite(largest)
            and smallest < self.settings["ratio"] * largest
        )
        self._in_a_row[key] = self._in_a_row.get(key, 0) + 1 if holds else 0
        if self._in_a_row[key] != self.whole("window"):
            return None  # not yet, or told already
        return Report(
            "Vanishing gradient",
            f"Vanishing gradient: a weight of `{early[0]}` gets {figure(smallest)} on average, one of "
            f"`{late[-1]}` gets {figure(largest)}, {figure(largest / smallest)} times as much, for "
            f"{self.whole('window'):,} measured steps. The early layers hardly learn.",
            module=early[0].rpartition(".")[0],
            value=smallest / largest,
            threshold=self.settings["ratio"],
            evidence=[f"{name}: {figure(size)} per weight" for name, size in sizes.items()][:30],
            next=[
                "Use ReLU or GELU rather than sigmoid or tanh between many layers.",
                "Add skip connections or normalization, or initialize the weights for the activation "
                "(torch.nn.init.kaiming_normal_, xavier_normal_).",
            ],
        )


def _largest(sizes: Mapping[str, float], names: list[str]) -> float:
    return max((sizes[name] for name in names), default=math.nan)
