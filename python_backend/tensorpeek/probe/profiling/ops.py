"""Reduces what torch's profiler recorded to operations by shape, and to the time of modules.

An event's own time is without the events inside of it, found by a stack over the events of a thread. A
backward operation belongs to the forward operation with its sequence number, and so to a module.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from tensorpeek.contract.messages import ProfiledOp
from tensorpeek.probe.profiling.hooks import MARK

MOST = 200
LONGEST_SHAPES = 160
BACKWARD = "autograd::engine::evaluate_function: "
OPTIMIZER = "Optimizer."
DATA = "enumerate(DataLoader)"
CONVOLUTION = "conv"


@dataclass
class _Op:
    calls: int = 0
    own: int = 0
    total: int = 0
    flops: int = 0


@dataclass
class _Open:
    """An event that has not ended where the stack is."""

    event: Any
    name: str
    end: int
    key: tuple[str, str, str, str]
    module: int
    inner: int = 0
    flops: int = 0
    worker: _Op | None = None
    """Of the convolution inside, which does the work that this one counts."""


@dataclass
class Reduced:
    ops: dict[tuple[str, str, str, str], _Op] = field(default_factory=dict)
    """By name, shapes, device and phase."""
    backward: dict[int, float] = field(default_factory=dict)
    """Seconds of each module's own operations in backward passes, by its number."""

    def record(self, steps: int) -> list[ProfiledOp]:
        ordered = sorted(self.ops.items(), key=lambda item: -item[1].own)[:MOST]
        return [
            {
                "name": name.replace("aten::", ""),
                "shapes": shapes,
                "device": device,
                "phase": phase,
                "calls": round(op.calls / steps, 3),
                "self": round(op.own * 1e-9 / steps, 9),
                "total": round(op.total * 1e-9 / steps, 9),
                "flops": round(op.flops / steps),
            }
            for (name, shapes, device, phase), op in ordered
        ]


def reduced(events: Iterable[Any]) -> Reduced:
    found = Reduced()
    threads: dict[tuple[str, int], list[Any]] = {}
    for event in events:
        device = str(event.device_type()).rpartition(".")[2]
        lane = event.start_thread_id() if device == "CPU" else event.device_resource_id()
        threads.setdefault((device, lane), []).append(event)
    modules: dict[int, int] = {}
    """Of forward operations, by their sequence number."""
    # The forward pass is looked at first, wherever torch runs the backward pass.
    for (device, _), of_thread in sorted(
        threads.items(), key=lambda item: any(event.name().startswith(BACKWARD) for event in item[1])
    ):
        _Thread(found, modules, device).read(of_thread)
    return found


class _Thread:
    def __init__(self, found: Reduced, modules: dict[int, int], device: str) -> None:
        self._found = found
        self._modules = modules
        self._device = device.lower()
        self._stack: list[_Open] = []

    def read(self, events: list[Any]) -> None:
        events.sort(key=lambda event: (event.start_ns(), -event.duration_ns()))
        for event in events:
            start = event.start_ns()
            self._end_until(start)
            self._begin(event, start)
        self._end_until(None)

    def _begin(self, event: Any, start: int) -> None:
        name: str = event.name()
        above = self._stack[-1] if self._stack else None
        phase = self._phase(name, above)
        module = self._module(event, name, above, phase)
        number = event.sequence_nr()
        if phase == "forward" and number >= 0 and module >= 0:
            self._modules[number] = module
        self._stack.append(
            _Open(
                event,
                name,
                start + event.duration_ns(),
                (name, _shapes(event), self._device, phase),
                module,
                flops=event.flops(),
            )
        )

    def _phase(self, name: str, above: _Open | None) -> str:
        if name.startswith(BACKWARD):
            return "backward"
        if name.startswith(OPTIMIZER):
            return "optimizer"
        if name.startswith(DATA):
            return "data"
        if name.startswith(MARK):
            return "forward"
        return above.key[3] if above is not None else "other"

    def _module(self, event: Any, name: str, above: _Open | None, phase: str) -> int:
        if name.startswith(MARK):
            return int(name[len(MARK) :])
        if phase == "backward" and name.startswith(BACKWARD):
            return self._modules.get(event.sequence_nr(), -1)
        return above.module if above is not None else -1

    def _end_until(self, moment: int | None) -> None:
        while self._stack and (moment is None or self._stack[-1].end <= moment):
            ended = self._stack.pop()
            taken = ended.end - ended.event.start_ns()
            own = max(0, taken - ended.inner)
            name = ended.name
            if ended.key[3] == "backward" and ended.module >= 0:
                seconds = self._found.backward
                seconds[ended.module] = seconds.get(ended.module, 0.0) + own * 1e-9
            worker: _Op | None = None
            if name.startswith("aten::") or self._device != "cpu":
                op = self._found.ops.setdefault(ended.key, _Op())
                op.calls += 1
                op.own += own
                op.total += taken
                # `conv2d` counts operations and leaves them to what it calls.
                worker = ended.worker or op
                worker.flops += ended.flops
            if self._stack:
                above = self._stack[-1]
                above.inner += taken
                if worker is not None and CONVOLUTION in name:
                    above.worker = worker


def _shapes(event: Any) -> str:
    """`[64, 3, 32, 32] [16, 3, 3, 3]`, without what is no tensor."""
    shapes = " ".join(str(list(shape)) for shape in event.shapes() if shape)
    return shapes if len(shapes) <= LONGEST_SHAPES else shapes[: LONGEST_SHAPES - 1] + "…"
