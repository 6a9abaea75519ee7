"""What a step does to the weights: a sample of each, kept before the step and compared after it."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import Any

from tensorpeek.probe.training.device_values import numbers_of
from tensorpeek.probe.training.moments import Step
from tensorpeek.probe.training.parameters import Trained, on_one_device

MOST = 4096
"""Elements of a parameter that are compared; evenly spread over it."""


@dataclass
class Kept:
    trained: Trained
    before: Any
    gradient: Any


@dataclass
class Update:
    """Numbers of one parameter's sample."""

    trained: Trained
    change: float
    """Norm of the difference that the step made."""
    before: float
    """Norm of the weights before the step."""
    after: float
    pulled: int
    """Elements whose gradient is not zero."""
    moved: int
    """Those of them that have changed."""

    @property
    def name(self) -> str:
        return self.trained.name

    @property
    def ratio(self) -> float:
        """The change as a share of the weights; at most about 2, also where they start at zero."""
        size = max(self.before, self.after)
        return self.change / size if size > 0 else 0.0


def sample(tensor: Any) -> Any:
    """Evenly spread elements of a tensor, as a view where that is possible."""
    flat = tensor.detach().reshape(-1)
    return flat[:: -(-flat.numel() // MOST)] if flat.numel() > MOST else flat


def keep_weights(step: Step) -> None:
    """In `on_gradients`: takes the samples, once for all conditions."""
    if "weights" not in step.cache:
        step.cache["weights"] = [
            Kept(each, sample(each.parameter).clone(), sample(each.parameter.grad) != 0)
            for each in on_one_device(step)
        ]


def updates(step: Step) -> list[Update]:
    """In `on_update`: what has changed, of each parameter with a gradient; empty where nothing was kept.

    On a device, what the step before has changed.
    """
    found = step.cache.get("updates")
    if found is None:
        kept = step.cache.pop("weights", [])
        found = step.cache["updates"] = _updates(kept, f"updates {id(step.optimizer)}")
    return found


def _updates(kept: list[Kept], name: str) -> list[Update]:
    torch = sys.modules["torch"]
    rows: list[Any] = []
    for each in kept:
        after = sample(each.trained.parameter)
        norm = torch.linalg.vector_norm
        rows += [
            norm(after - each.before, dtype=torch.float64),
            norm(each.before, dtype=torch.float64),
            norm(after, dtype=torch.float64),
            each.gradient.count_nonzero().double(),
            (each.gradient & (after != each.before)).count_nonzero().double(),
        ]
    values = numbers_of(torch.stack(rows), name) if rows else None
    if values is None or len(values) != len(rows):
        return []
    found: list[Update] = []
    for index, each in enumerate(kept):
        change, before, after, pulled, moved = values[5 * index : 5 * index + 5]
        found.append(Update(each.trained, change, before, after, int(pulled), int(moved)))
    return found


def whole_ratio(found: list[Update]) -> float:
    """The change of all weights together as a share of them."""
    change = math.hypot(*(update.change for update in found))
    size = max(
        math.hypot(*(update.before for update in found)), math.hypot(*(update.after for update in found))
    )
    return change / size if size > 0 else 0.0
