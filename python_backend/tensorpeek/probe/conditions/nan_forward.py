"""NaN or Inf that a module makes of finite inputs."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from tensorpeek.catalogue import conditions
from tensorpeek.probe.conditions.condition import Condition
from tensorpeek.probe.training.device_values import is_at_hand, numbers_of
from tensorpeek.probe.training.figures import count, figure, listed
from tensorpeek.probe.training.moments import Loss, ModuleCall
from tensorpeek.probe.training.parameters import is_plain
from tensorpeek.probe.training.report import Report
from tensorpeek.probe.training.tensors_in import tensors_in, tensors_of_call

CAUSES = (conditions.NAN_LOSS.id, conditions.NAN_GRADIENT.id, conditions.BAD_INPUT.id)
"""After one of these, weights that are not finite are no news."""


class NanForward(Condition):
    info = conditions.NAN_FORWARD

    def __init__(self, settings: Mapping[str, float]) -> None:
        super().__init__(settings)
        self._told: set[str] = set()
        """Modules of which it was told; once is enough."""
        self._is_known = False
        """It was told, and no loss has been finite since: what follows is the same NaN."""

    def on_loss(self, loss: Loss) -> None:
        if loss.value is not None and math.isfinite(loss.value):
            self._is_known = False

    def on_module(self, call: ModuleCall) -> Report | None:
        output = next((tensor for _, tensor in tensors_in(call.output)), None)
        if output is not None and not is_at_hand(output):
            return self._on_device(call, output)
        bad = next((tensor for _, tensor in tensors_in(call.output) if _has_fault(tensor)), None)
        if bad is None or self._is_known or call.name in self._told:
            return None
        inputs = dict(tensors_of_call(call.args, call.kwargs))
        if any(_is_readable(tensor) and not _is_finite(tensor) for tensor in inputs.values()):
            return None  # it was born earlier
        weights = [name for name, weight in _own_weights(call.module) if not _is_finite(weight)]
        if weights and self._is_consequence(call):
            return None
        self._is_known = True
        self._told.add(call.name)
        torch = sys.modules["torch"]
        nans, infs = int(torch.isnan(bad).sum()), int(torch.isinf(bad).sum())
        word = "NaN" if nans else "Inf"
        kind = type(call.module).__name__
        named = f"`{call.name}` ({kind})" if call.name else f"the model ({kind})"
        if weights:
            is_first = call.training.clock.step < 1
            since = "before the first step" if is_first else "an earlier step has already ruined them"
            cause = f"Its weights {listed(weights)} are not finite: {since}."
        else:
            cause = "Its inputs and its weights are finite: the module itself makes it."
        return Report(
            f"{word} in forward",
            f"{word} in forward: the output of {named} has {count(nans or infs, word, word)} "
            f"in {count(bad.numel(), 'element')}. {cause}",
            module=call.name,
            evidence=[_line(name, tensor) for name, tensor in inputs.items()][:10],
            next=[
                "Step into that module's forward, or look at its inputs for values at the edge of its range."
            ],
            values={**{f"input {name}": tensor for name, tensor in inputs.items()}, "output": bad},
            seeks_producer=not weights,
        )

    def _on_device(self, call: ModuleCall, output: Any) -> Report | None:
        """The first module of a forward pass whose output was not finite in the step before."""
        total = numbers_of(output.sum(), f"forward {call.name}") if is_plain(output.detach()) else None
        if total is None or math.isfinite(total[0]) or total[0] == -math.inf:
            return None
        if self._is_known or call.name in self._told or self._is_consequence(call):
            return None
        self._is_known = True
        self._told.add(call.name)
        word = "NaN" if math.isnan(total[0]) else "Inf"
        named = f"`{call.name}` ({type(call.module).__name__})"
        return Report(
            f"{word} in forward",
            f"{word} in forward: the output of {named} was not finite in the step before. It is the first "
            "module with such an output; that was read from the device one step late.",
            module=call.name,
            next=[
                "Set a module breakpoint on it, and look at its inputs for values at the edge of its range."
            ],
        )

    def _is_consequence(self, call: ModuleCall) -> bool:
        """Whether it was told before what has ruined the weights, or that something has."""
        return bool(self._told) or any(finding["condition"] in CAUSES for finding in call.training.findings)


def _is_readable(tensor: Any) -> bool:
    return is_plain(tensor) and is_at_hand(tensor)


def _is_finite(tensor: Any) -> bool:
    """Sums first; that is cheap, and only a sum that overflows needs the second look."""
    return math.isfinite(tensor.sum().item()) or bool(sys.modules["torch"].isfinite(tensor).all())


def _has_fault(tensor: Any) -> bool:
    """NaN or +Inf; −Inf alone is how masks and logarithms of nothing are meant."""
    if not _is_readable(tensor):
        return False
    total = tensor.sum().item()
    if math.isfinite(total):
        return False
    torch = sys.modules["torch"]
    if total == -math.inf and not bool(torch.isnan(tensor).any()):
        return bool((tensor == math.inf).any())
    return not bool(torch.isfinite(tensor).all())


def _own_weights(module: Any) -> Iterator[tuple[str, Any]]:
    for name, parameter in module.named_parameters():
        if _is_readable(parameter.detach()):
            yield name, parameter.detach()


def _line(name: str, tensor: Any) -> str:
    if not _is_readable(tensor):
        return f"input {name}: {tuple(tensor.shape)} {str(tensor.dtype).removeprefix('torch.')}".replace(
            "  ", " "
        )
    low, high = sys.modules["torch"].aminmax(tensor)
    return f"input {name}: {tuple(tensor.shape)} {figure(low.item())} … {figure(high.item())}"
