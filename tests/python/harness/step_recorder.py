"""Fills step records as the engine does, but plainly, and asks for the producer of the first NaN."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

from tensorpeek.probe.replay.producer import Producer, Unknown, find_producer
from tensorpeek.probe.replay.region import names_to_keep
from tensorpeek.probe.training.places import is_users_code, user_frame
from tensorpeek.probe.training.step_record import StepRecord

MOST_CALLERS = 8


class Found(BaseException):
    """Ends the training at its first NaN."""


@dataclass
class Recorder:
    """Sees a training. At the first loss or gradient that is not finite it asks `when_bad`, and ends it."""

    when_bad: Callable[[StepRecord, str], Any] = find_producer
    answer: Any = None
    phase: str = ""
    record: StepRecord | None = None
    step: int = 0
    rows: list[int] | None = None
    parameters: list[torch.Tensor] = field(default_factory=list)
    is_armed: bool = True

    def producer(self) -> Producer:
        assert isinstance(self.answer, Producer), self.answer
        return self.answer

    def unknown(self) -> Unknown:
        assert isinstance(self.answer, Unknown), self.answer
        return self.answer

    def root_called(
        self, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any], frame: FrameType
    ) -> None:
        if not torch.is_grad_enabled():
            return
        self.is_armed = False
        user = user_frame(frame)
        record = self.record = StepRecord(self.step, module, args, dict(kwargs), torch.get_rng_state())
        record.rows = self.rows
        if user is None:
            return
        record.code, record.line = user.f_code, user.f_lineno
        names = names_to_keep(user.f_code, user.f_lineno)
        record.arguments = {name: user.f_locals[name] for name in names if name in user.f_locals}
        callers, above = [], user.f_back
        while above is not None and len(callers) < MOST_CALLERS:
            if is_users_code(above.f_code):
                callers.append((above.f_code, above.f_lasti))
            above = above.f_back
        record.callers = tuple(callers)

    def check(self, phase: str, is_bad: bool, frame: FrameType | None) -> None:
        if not is_bad or self.answer is not None or self.record is None:
            return
        self.record.frame = frame
        self.phase = phase
        self.answer = self.when_bad(self.record, phase)
        self.record.frame = None
        raise Found


@contextmanager
def recorded(when_bad: Callable[[StepRecord, str], Any] = find_producer) -> Iterator[Recorder]:
    recorder = Recorder(when_bad)
    real_backward = torch.autograd.backward

    def before_module(module: Any, args: tuple[Any, ...]) -> None:
        if recorder.is_armed:
            frame = sys._getframe(1)
            recorder.root_called(module, args, frame.f_locals.get("kwargs") or {}, frame)

    def backward(tensors: Any, *args: Any, **kwargs: Any) -> None:
        root = tensors if isinstance(tensors, torch.Tensor) else tensors[0]
        if recorder.record is not None:
            recorder.record.loss = root.detach().float().item()
            frame = user_frame(sys._getframe(1))
            recorder.record.backward_line = frame.f_lineno if frame else 0
            recorder.check("forward", not bool(torch.isfinite(root.detach()).all()), frame)
        real_backward(tensors, *args, **kwargs)
        recorder.is_armed = True

    backward.__wrapped__ = real_backward  # type: ignore[attr-defined]

    def before_step(optimizer: Any, *_: Any) -> None:
        gradients = [
            p.grad for group in optimizer.param_groups for p in group["params"] if p.grad is not None
        ]
        is_bad = not all(bool(torch.isfinite(gradient.to_dense()).all()) for gradient in gradients)
        recorder.check("backward", is_bad, user_frame(sys._getframe(1)))

    def after_step(*_: Any) -> None:
        recorder.step += 1

    removers = [
        torch.nn.modules.module.register_module_forward_pre_hook(before_module),
        register_optimizer_step_pre_hook(before_step),
        register_optimizer_step_post_hook(after_step),
    ]
    torch.autograd.backward = backward
    try:
        yield recorder
    finally:
        torch.autograd.backward = real_backward
        for remover in removers:
            remover.remove()
