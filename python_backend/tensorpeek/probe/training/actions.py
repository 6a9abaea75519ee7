"""What the user may do at a stop, before the weights change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tensorpeek.probe.training.training import Training


@dataclass
class Wishes:
    """What the user wants of the step that runs."""

    drops_batch: bool = False
    """The backward pass is left out, and the step."""
    skips_step: bool = False

    def take_drop(self) -> bool:
        wanted, self.drops_batch = self.drops_batch, False
        return wanted

    def take_skip(self) -> bool:
        wanted, self.skips_step = self.skips_step, False
        return wanted


def skip_step(training: Training) -> str:
    training.wishes.skips_step = True
    return "The next optimizer.step() will change nothing."


def drop_batch(training: Training) -> str:
    training.wishes.drops_batch = not training.gradients_are_ready
    training.wishes.skips_step = True
    if training.gradients_are_ready:
        return "backward() has run already: the next optimizer.step() will change nothing."
    return "The next backward() will do nothing, and the optimizer.step() after it will change nothing."


def set_learning_rate(training: Training, rate: float) -> str:
    """Of all optimizers seen, and of the one whose step is about to be taken."""
    optimizers = training.optimizers
    if not optimizers:
        raise ValueError("no optimizer has taken a step yet")
    before: set[str] = set()
    is_scheduled = False
    for optimizer in optimizers:
        for group in optimizer.param_groups:
            before.add(f"{float(group['lr']):g}")
            is_scheduled = is_scheduled or "initial_lr" in group
            set_rate(group, rate)
    text = f"Learning rate set to {rate:g} (was {', '.join(sorted(before))})."
    return text + " A scheduler may change it again at its next step." if is_scheduled else text


def set_rate(group: dict[str, Any], rate: float) -> None:
    """Of one group of parameters; a rate that is a tensor stays one."""
    if hasattr(group["lr"], "fill_"):
        group["lr"].fill_(rate)
    else:
        group["lr"] = rate
