"""NaN or Inf in gradients."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from typing import Any

from tensorpeek.catalogue import conditions
from tensorpeek.probe.conditions.condition import Condition
from tensorpeek.probe.training.device_values import numbers_of
from tensorpeek.probe.training.figures import count, listed
from tensorpeek.probe.training.moments import Step
from tensorpeek.probe.training.parameters import Trained, is_late, with_gradients
from tensorpeek.probe.training.report import Report

TIMELY = "The optimizer has not taken this step, so the weights are still clean."
UNTIMELY = "It was seen on the device one step late, so the weights are no longer clean."
EARLY = 8
"""Of the first parameters, the smallest one is looked at in every step: NaN flows back to them."""


class NanGradient(Condition):
    info = conditions.NAN_GRADIENT

    def __init__(self, settings: Mapping[str, float]) -> None:
        super().__init__(settings)
        self._turn = 0

    def on_gradients(self, step: Step) -> Report | None:
        if not self._is_suspicious(step):
            return None
        found = with_gradients(step)
        bad = [(each, *_counts(each.parameter.grad)) for each in found]
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
        """Looks at one early gradient in every step, and at one more in turn."""
        groups = step.optimizer.param_groups
        parameters = groups[self._turn % len(groups)]["params"]
        self._turn += 1
        early = [each.grad for each in groups[0]["params"][:EARLY] if each.grad is not None]
        key = id(step.optimizer)
        if early and not _is_finite(min(early, key=_size), f"early gradient {key}"):
            return True
        other = parameters[self._turn % len(parameters)].grad if parameters else None
        return other is not None and not _is_finite(other, f"gradient in turn {key}")


def _size(gradient: Any) -> int:
    return gradient.numel()


def _is_finite(gradient: Any, name: str) -> bool:
    """By its sum; that of a device comes one step late, as `name`."""
    if gradient.device.type == "cpu":
        return math.isfinite(gradient.sum().item())
    total = numbers_of(gradient.sum(), name)
    return total is None or math.isfinite(total[0])


def _counts(gradient: Any) -> tuple[int, int]:
    torch = sys.modules["torch"]
    return int(torch.isnan(gradient).sum()), int(torch.isinf(gradient).sum())


def _row(each: Trained, nans: int, infs: int) -> str:
    total = each.parameter.numel()
    parts = [f"{number:,} {word}" for number, word in ((nans, "NaN"), (infs, "Inf")) if number]
    return f"{each.name}.grad: {', '.join(parts)} of {count(total, 'element')}"
