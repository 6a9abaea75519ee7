"""Norms of gradients and weights by the parameter's name, worked out once per step for all conditions."""

from __future__ import annotations

import math
import sys
from typing import Any

from tensorpeek.probe.training.moments import Step
from tensorpeek.probe.training.parameters import Trained, with_gradients


def gradient_norms(step: Step) -> dict[str, float]:
    """Of every gradient, a GradScaler's factor taken out."""
    found = step.cache.get("gradient norms")
    if found is None:
        each = _on_cpu(step)
        norms = _norms([one.parameter.grad for one in each])
        found = {one.name: norm / step.scale for one, norm in zip(each, norms)}
        step.cache["gradient norms"] = found
    return found


def weight_norms(step: Step) -> dict[str, float]:
    """Of every weight that has a gradient, before the step."""
    found = step.cache.get("weight norms")
    if found is None:
        each = _on_cpu(step)
        norms = _norms([one.parameter.detach() for one in each])
        found = step.cache["weight norms"] = {one.name: norm for one, norm in zip(each, norms)}
    return found


def _on_cpu(step: Step) -> list[Trained]:
    return [each for each in with_gradients(step) if each.parameter.device.type == "cpu"]


def _norms(tensors: list[Any]) -> list[float]:
    if not tensors:
        return []
    torch = sys.modules["torch"]
    norms = torch.stack([norm.float() for norm in torch._foreach_norm(tensors)]).tolist()
    # The squares of numbers that float32 holds may be too large for it.
    return [
        norm if math.isfinite(norm) else torch.linalg.vector_norm(tensor, dtype=torch.float64).item()
        for norm, tensor in zip(norms, tensors)
    ]
