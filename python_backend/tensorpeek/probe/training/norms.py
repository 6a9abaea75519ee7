"""Norms of gradients and weights by the parameter's name, worked out once per step for all conditions.

Those of a device are of the step before, and missing while there are none.
"""

from __future__ import annotations

import math
import sys
from typing import Any

from tensorpeek.probe.training.device_values import is_at_hand, numbers_of
from tensorpeek.probe.training.moments import Step
from tensorpeek.probe.training.parameters import on_one_device


def gradient_norms(step: Step) -> dict[str, float]:
    """Of every gradient, a GradScaler's factor taken out."""
    found = step.cache.get("gradient norms")
    if found is None:
        each = on_one_device(step)
        norms = _norms([one.parameter.grad for one in each], f"gradient norms {id(step.optimizer)}")
        found = {one.name: norm / step.scale for one, norm in zip(each, norms)}
        step.cache["gradient norms"] = found
    return found


def weight_norms(step: Step) -> dict[str, float]:
    """Of every weight that has a gradient, before the step."""
    found = step.cache.get("weight norms")
    if found is None:
        each = on_one_device(step)
        norms = _norms([one.parameter.detach() for one in each], f"weight norms {id(step.optimizer)}")
        found = step.cache["weight norms"] = {one.name: norm for one, norm in zip(each, norms)}
    return found


def _norms(tensors: list[Any], name: str) -> list[float]:
    if not tensors:
        return []
    torch = sys.modules["torch"]
    norms = numbers_of(torch.stack([norm.float() for norm in torch._foreach_norm(tensors)]), name)
    if norms is None or len(norms) != len(tensors):
        return []
    if not is_at_hand(tensors[0]):
        return norms
    # The squares of numbers that float32 holds may be too large for it.
    return [
        norm if math.isfinite(norm) else torch.linalg.vector_norm(tensor, dtype=torch.float64).item()
        for norm, tensor in zip(norms, tensors)
    ]
