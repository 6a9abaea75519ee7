"""Notices a program that calls backward() and has an optimizer, whose step() it never calls."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

from tensorpeek.probe.training.moments import Loss
from tensorpeek.probe.training.places import Place, is_users_code, place_of
from tensorpeek.probe.training.report import Report

LOOK = 8
"""The backward pass at which the program is searched for an optimizer."""
FEWEST = 20
"""Backward passes without a step, at the end of the program."""
MOST = 300
"""Backward passes without a step that are no accumulation of gradients any more."""
FRAMES = 4
MOST_NODES = 5000


class MissingStep:
    def __init__(self) -> None:
        self.backwards = 0
        self.is_stepping = False
        """Whether an optimizer has ever begun a step."""
        self._place: Place | None = None
        self._name = ""
        """Of the optimizer, empty while there is none."""

    def on_loss(self, loss: Loss) -> Report | None:
        if self.is_stepping:
            return None
        self.backwards += 1
        if self.backwards == LOOK:
            self._place = place_of(loss.frame)
            self._name = next(_names_of_optimizers(loss), "")
        elif self.backwards == MOST:
            return self._report()
        return None

    def on_end(self) -> Report | None:
        return self._report() if FEWEST <= self.backwards < MOST else None

    def _report(self) -> Report | None:
        if self.is_stepping or not self._name:
            return None
        return Report(
            "step() is never called",
            f"step() is never called: backward() has run {self.backwards:,} times, but no step of an "
            f"optimizer. The weights that `{self._name}` should train have not changed.",
            place=self._place,
            next=[f"Call `{self._name}.step()` after backward(), and `{self._name}.zero_grad()` before it."],
        )


def _names_of_optimizers(loss: Loss) -> Iterator[str]:
    """As the program calls them, from the frame of backward() up; those whose parameters get gradients."""
    frame: FrameType | None = loss.frame
    leaves = set(map(id, _leaves(loss.tensor.grad_fn)))
    optimizer_class = sys.modules["torch"].optim.Optimizer
    for _ in range(FRAMES):
        while frame is not None and not is_users_code(frame.f_code):
            frame = frame.f_back
        if frame is None:
            return
        names = dict(frame.f_locals)
        attributes = getattr(names.get("self"), "__dict__", {})
        for name, value in [*names.items(), *((f"self.{name}", value) for name, value in attributes.items())]:
            if isinstance(value, optimizer_class) and not leaves.isdisjoint(_parameters(value)):
                yield name
        frame = frame.f_back


def _parameters(optimizer: Any) -> Iterator[int]:
    return (id(parameter) for group in optimizer.param_groups for parameter in group["params"])


def _leaves(root: Any) -> Iterator[Any]:
    """The tensors that backward() will make gradients for, as far as the graph is not too large."""
    waiting, seen = [root], {root}
    while waiting and len(seen) < MOST_NODES:
        node = waiting.pop()
        variable = getattr(node, "variable", None)
        if variable is not None:
            yield variable
        for below, _ in getattr(node, "next_functions", ()):
            if below is not None and below not in seen:
                seen.add(below)
                waiting.append(below)
