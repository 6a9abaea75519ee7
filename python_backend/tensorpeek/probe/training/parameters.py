"""What an optimizer trains: its parameters by name, and their gradients."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

from tensorpeek.probe.training import source
from tensorpeek.probe.training.device_values import is_at_hand
from tensorpeek.probe.training.moments import Step
from tensorpeek.probe.training.places import Place


class Trained(NamedTuple):
    name: str
    """As in `encoder.weight`; `parameter 3` where no module is known to hold it."""
    parameter: Any
    group: dict[str, Any]
    """The optimizer's group of parameters that it is in."""


def trained(step: Step) -> list[Trained]:
    """Every parameter of the step's optimizer, in the optimizer's order."""
    found = step.cache.get("trained")
    if found is None:
        found = step.cache["trained"] = list(_trained(step))
    return found


def _trained(step: Step) -> Iterator[Trained]:
    name_of = step.training.models.name_of_parameter
    position = 0
    for group in step.optimizer.param_groups:
        for parameter in group["params"]:
            yield Trained(name_of(parameter) or f"parameter {position}", parameter, group)
            position += 1


def with_gradients(step: Step) -> list[Trained]:
    """Those of them with a gradient that is an ordinary tensor of numbers."""
    found = step.cache.get("with gradients")
    if found is None:
        found = step.cache["with gradients"] = [
            each for each in trained(step) if (grad := each.parameter.grad) is not None and is_plain(grad)
        ]
    return found


def on_one_device(step: Step) -> list[Trained]:
    """Those of them that are where the first one is, so that their numbers can be read together."""
    found = with_gradients(step)
    return [each for each in found if each.parameter.device == found[0].parameter.device]


def place_of_parameter(step: Step, each: Trained) -> Place | None:
    """Where a module of the user's own sets the parameter, as in `self.scale = nn.Parameter(…)`."""
    name = each.name.rpartition(".")[2]
    for root in step.training.models.roots():
        for module in root.modules():
            if module._parameters.get(name) is each.parameter:
                return source.attribute_assignment(type(module), name)
    return None


def is_late(step: Step) -> bool:
    """Whether numbers are read one step late, since they are computed on a device."""
    found = with_gradients(step)
    return bool(found) and not is_at_hand(found[0].parameter)


def is_plain(tensor: Any) -> bool:
    """Whether torch's kernels may be asked for its numbers: dense, in memory, of floats."""
    torch = sys.modules["torch"]
    return (
        type(tensor) in (torch.Tensor, torch.nn.Parameter)
        and tensor.layout is torch.strided
        and not tensor.is_meta
        and tensor.is_floating_point()
        and tensor.numel() > 0
    )


def is_matrix(parameter: Any) -> bool:
    """Whether it is a weight rather than a bias, a scale or a single number."""
    return parameter.dim() >= 2 and parameter.numel() >= 4


def learning_rate(group: dict[str, Any]) -> float | None:
    """Of a group of parameters, None where it is a tensor on a device or missing."""
    rate = group.get("lr")
    if isinstance(rate, (int, float)):
        return float(rate)
    if rate is not None and getattr(getattr(rate, "device", None), "type", "") == "cpu":
        return float(rate)
    return None


def is_adaptive(optimizer: Any) -> bool:
    """Whether a step's size does not grow with the gradient, as in Adam and its kin."""
    group = optimizer.param_groups[0]
    return "betas" in group or "alpha" in group or "rho" in group or "lr_decay" in group
