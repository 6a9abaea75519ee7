"""NaN or Inf in gradients."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from typing import Any

from tensorpeek.catalogue import conditions
from tensorpeek.probe.conditions.condition import Condition
from tensorpeek.probe.training.device_values import is_at_hand, numbers_of
from tensorpeek.probe.training.figures import count, listed
from tensorpeek.probe.training.moments import Step
from tensorpeek.probe.training.parameters import Trained, is_late, is_matrix, trained, with_gradients
from tensorpeek.probe.training.report import Report

TIMELY = "The optimizer has not taken this step, so the weights are still clean."
UNTIMELY = "It was seen on the device one step late, so the weights are no longer clean."
EARLY = 8
"""Parameters of which one is looked at in every step."""
SMALL = 100_000
"""Elements of a gradient that is looked at in every step."""
BEGINNING, SELDOM = 64, 4
"""After so many steps, a second gradient is looked at in each so many only."""
THOROUGH = 16
"""Steps after which all gradients are looked at."""


class NanGradient(Condition):
    info = conditions.NAN_GRADIENT

    def __init__(self, settings: Mapping[str, float]) -> None:
        super().__init__(settings)
        self._turn = 0
        self._places: dict[int, int] = {}
        """Of the telling gradient in the first group of parameters, by the optimizer's id."""

    def on_gradients(self, step: Step) -> Report | None:
        if not self._is_suspicious(step):
            return None
        found = _readable(step)
        bad = [(each, *_counts(gradient)) for each, gradient in found]
        bad = [(each, nans, infs) for each, nans, infs in bad if nans or infs]
        if not bad:
            return None  # only the sum was too large for its dtype
        is_nan = any(nans for _, nans, _ in bad)
        word = "NaN" if is_nan else "Inf"
        first = bad[0][0]
        whole = len(bad) == len(found) and len(found) > 1
        which = (
            f"of all {len(found)} parameters" if whole else f"of {listed(each.name for each, _, _ in bad)}"
        )
        return Report(
            f"{word} in gradients",
            f"{word} in gradients: the gradient {which} is not finite, though the loss was. "
            + (UNTIMELY if is_late(step) else TIMELY),
            module=first.name.rpartition(".")[0],
            evidence=[_row(*each) for each in bad[:20]],
            next=["Skip this step to keep the weights clean."],
            values={f"{each.name}.grad": each.parameter.grad for each, _, _ in bad[:5]},
            seeks_producer=True,
        )

    def _is_suspicious(self, step: Step) -> bool:
        """Looks at one telling gradient in every step, at one more in turn, and at all now and then."""
        self._turn += 1
        if self._turn % THOROUGH == 0:
            gradients = [each.grad for group in step.optimizer.param_groups for each in group["params"]]
            return not all(
                gradient is None or _is_finite(gradient, step, index)
                for index, gradient in enumerate(gradients)
            )
        groups = step.optimizer.param_groups
        parameters = groups[0]["params"]
        place = self._places.get(id(step.optimizer))
        if place is None:
            place = self._places[id(step.optimizer)] = _most_telling(parameters)
        gradient = parameters[place].grad if place < len(parameters) else None
        if gradient is not None and not _is_finite(gradient, step, -1):
            return True
        turn = self._turn
        if turn > BEGINNING:
            turn, rest = divmod(turn, SELDOM)
            if rest:
                return False
        parameters = groups[turn % len(groups)]["params"]
        gradient = parameters[turn % len(parameters)].grad if parameters else None
        return gradient is not None and not _is_finite(gradient, step, -2)


def _most_telling(parameters: list[Any]) -> int:
    """The place of the first weight, unless it is large, or of the smallest early parameter.

    What is NaN flows back to them. A bias may get no gradient where a weight gets one, as of a slope.
    """
    early = [(index, each) for index, each in enumerate(parameters[:EARLY]) if each.requires_grad]
    weights = [index for index, each in early if is_matrix(each) and each.numel() <= SMALL]
    if weights:
        return weights[0]
    return min(early, key=lambda pair: pair[1].numel())[0] if early else 0


def _is_finite(gradient: Any, step: Step, place: int) -> bool:
    """By its sum; that of a device comes one step late, under a name that `place` is in."""
    if gradient.is_sparse:
        gradient = gradient._values()
    if is_at_hand(gradient):
        return math.isfinite(gradient.sum().item())
    total = numbers_of(gradient.sum(), f"gradient {place} {id(step.optimizer)}")
    return total is None or math.isfinite(total[0])


def _readable(step: Step) -> list[tuple[Trained, Any]]:
    """Every parameter with the numbers of its gradient."""
    sparse = [
        each for each in trained(step) if each.parameter.grad is not None and each.parameter.grad.is_sparse
    ]
    return [(each, each.parameter.grad) for each in with_gradients(step)] + [
        (each, each.parameter.grad._values()) for each in sparse
    ]


def _counts(gradient: Any) -> tuple[int, int]:
    torch = sys.modules["torch"]
    return int(torch.isnan(gradient).sum()), int(torch.isinf(gradient).sum())


def _row(each: Trained, nans: int, infs: int) -> str:
    total = each.parameter.numel()
    parts = [f"{number:,} {word}" for number, word in ((nans, "NaN"), (infs, "Inf")) if number]
    return f"{each.name}.grad: {', '.join(parts)} of {count(total, 'element')}"
