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
"""Parameters of which two are looked at in every step."""
SMALL = 100_000
"""Elements of a gradient that is looked at in every step."""
THOROUGH = 16
"""Steps after which all gradients are looked at."""


class NanGradient(Condition):
    info = conditions.NAN_GRADIENT

    def __init__(self, settings: Mapping[str, float]) -> None:
        super().__init__(settings)
        self._turn = 0
        self._watched: dict[int, tuple[int, ...]] = {}
        """Places in the first group of parameters, by the optimizer's id."""

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
        """Looks at two early gradients in every step, at one more in turn, and at all now and then."""
        optimizer = step.optimizer
        self._turn += 1
        if self._turn % THOROUGH == 0:
            every = [each.parameter.grad for each in trained(step)]
            return not all(
                grad is None or _is_finite(grad, f"gradient {index} {id(optimizer)}")
                for index, grad in enumerate(every)
            )
        first = optimizer.param_groups[0]["params"]
        watched = self._watched.get(id(optimizer))
        if watched is None:
            watched = self._watched[id(optimizer)] = _most_telling(first)
        group = optimizer.param_groups[self._turn % len(optimizer.param_groups)]["params"]
        grads = [first[index].grad for index in watched if index < len(first)]
        grads.append(group[self._turn % len(group)].grad if group else None)
        return not all(
            grad is None or _is_finite(grad, f"gradient at gate {place} {id(optimizer)}")
            for place, grad in enumerate(grads)
        )


def _most_telling(parameters: list[Any]) -> tuple[int, ...]:
    """The places of the first weight and of the smallest parameter: what is NaN flows back to one of them.

    A bias alone would not do: of a penalty on gradients, it gets none.
    """
    early = [(index, each) for index, each in enumerate(parameters[:EARLY]) if each.requires_grad]
    weights = [index for index, each in early if is_matrix(each) and each.numel() <= SMALL]
    smallest = min(early, key=lambda pair: pair[1].numel(), default=None)
    return tuple(dict.fromkeys(weights[:1] + ([smallest[0]] if smallest else [])))


def _is_finite(gradient: Any, name: str) -> bool:
    """By its sum; that of a device comes one step late, as `name`."""
    if gradient.is_sparse:
        gradient = gradient._values()
    if is_at_hand(gradient):
        return math.isfinite(gradient.sum().item())
    total = numbers_of(gradient.sum(), name)
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
