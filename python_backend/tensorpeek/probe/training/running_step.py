"""A call of an optimizer's `step`, and what is hidden from it."""

from __future__ import annotations

from types import FrameType
from typing import Any


class RunningStep:
    """A call of an optimizer's `step`."""

    def __init__(self, frame: int, optimizer: Any) -> None:
        self._frame = frame
        self.optimizer = optimizer
        self.is_left_out = False
        self.hidden: list[tuple[Any, Any]] = []

    def is_around(self, inner: FrameType) -> bool:
        """Whether another call is in it. It is not where the step was left by an exception."""
        frame = inner.f_back
        while frame is not None and not (id(frame) == self._frame and frame.f_code is inner.f_code):
            frame = frame.f_back
        return frame is not None

    def hide_gradients(self) -> None:
        """Makes the step change nothing: optimizers pass over what has no gradient."""
        for group in self.optimizer.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    self.hidden.append((parameter, parameter.grad))
                    parameter.grad = None

    def show_gradients(self) -> None:
        for parameter, gradient in self.hidden:
            if parameter.grad is None:
                parameter.grad = gradient
        self.hidden.clear()
