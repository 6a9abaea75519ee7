"""What conditions can't see in this program, each a sentence for the user."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tensorpeek.probe.training.training import Training

MANY_BACKWARDS = 32
"""After so many without a step, none is to be expected."""


def blind_spots(training: Training, compiles: bool) -> list[str]:
    return list(_spots(training, compiles))


def _spots(training: Training, compiles: bool) -> Iterator[str]:
    if compiles:
        yield (
            "Inside of torch.compile, modules and operations are not seen: NaN or Inf in forward and "
            "activations are not looked at, and a NaN is located by running the step without compilation."
        )
    roots = training.models.roots()
    if any(_is_scripted(root) for root in roots):
        yield "Inside of TorchScript, modules and operations are not seen."
    devices = {parameter.device.type for root in roots for parameter in islice(root.parameters(), 1)}
    elsewhere = sorted(devices - {"cpu", "meta"})
    if elsewhere:
        yield (
            f"The model is on {', '.join(elsewhere)}: losses are read one step late, so that the program "
            "never waits for the device."
        )
    if lacks_steps(training):
        yield "No optimizer of torch.optim has taken a step: steps, updates and gradients are not seen."


def lacks_steps(training: Training) -> bool:
    """Whether the program trains, and no optimizer of torch's takes its steps."""
    return training.clock.backwards > MANY_BACKWARDS and not training.clock.step


def _is_scripted(module: Any) -> bool:
    return any(kind.__name__ == "ScriptModule" for kind in type(module).__mro__)
