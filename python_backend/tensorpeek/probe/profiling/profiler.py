"""Joins what is seen of one training to one record."""

from __future__ import annotations

import os
import sys
from datetime import datetime
from threading import get_ident
from time import perf_counter
from types import FrameType
from typing import Any, Callable, Literal

from tensorpeek.contract.messages import CONTRACT_VERSION, Profile
from tensorpeek.probe.process import version_of
from tensorpeek.probe.profiling.bystander import Bystander
from tensorpeek.probe.profiling.call_look import CallLook
from tensorpeek.probe.profiling.departures import Departures
from tensorpeek.probe.profiling.facts import AnomalyMode, warned_of
from tensorpeek.probe.profiling.hooks import Hooks
from tensorpeek.probe.profiling.loaders import Loaders
from tensorpeek.probe.profiling.memory import Memory
from tensorpeek.probe.profiling.modules import Modules
from tensorpeek.probe.profiling.sampler import INTERVAL_S, Sampler
from tensorpeek.probe.profiling.stacks import Stacks
from tensorpeek.probe.profiling.steps import Steps
from tensorpeek.probe.profiling.stopwatch import Stopwatch
from tensorpeek.probe.profiling.syncs import Syncs
from tensorpeek.probe.profiling.window import Window
from tensorpeek.probe.training.torch_arrival import Arrival, is_here

MOST_STEPS_OF_OTHERS = 10
"""Without one of the optimizer that is the clock, until another one is."""
WRITING_SHARE = 0.005
"""Of the time, that may go to writing what was seen so far."""
FIRST_WRITE_S = 1.0

LOOKED_AT = 2
"""The step in which each call is seen. It is slower than others, and left out of the sums."""

State = Literal["running", "ended", "failed"]


class Profiler:
    """One for a process. `write` gets what was seen so far, now and then and at the end."""

    def __init__(
        self,
        program: str,
        arguments: list[str],
        window: Window | None,
        most_steps: int,
        write: Callable[[Profile], None],
        progress: Callable[[int, bool], None],
    ) -> None:
        self.stopwatch = Stopwatch()
        self.loaders = Loaders()
        self.modules = Modules()
        self.syncs = Syncs()
        self._program, self._arguments = program, arguments
        self._window = window
        self._most_steps = most_steps
        self._write = write
        self._progress = progress
        self._stacks = Stacks()
        self._steps = Steps()
        self._memory = Memory()
        self._sampler = Sampler(self._tick)
        self._bystander = Bystander(self._stacks.stack_of, INTERVAL_S)
        self._hooks = Hooks(self)
        self._arrival = Arrival(self._hooks.install)
        self._departures = Departures(lambda: self.end("ended"))
        self._started = perf_counter()
        self._time = datetime.now().astimezone()
        self._process = os.getpid()
        self._thread = get_ident()
        self._step_begun = 0.0
        """0 while nothing of a step has begun."""
        self._optimizer = 0
        """The one that is the clock, by its address; 0 while backward passes are."""
        self._others = 0
        """Steps of other optimizers since its last one."""
        self._anomaly = AnomalyMode()
        self._calls = CallLook()
        self._next_write = self._started + FIRST_WRITE_S
        self._is_busy = False
        """Whether the record is being changed or written: a tick may come in between."""
        self._is_over = False

    def start(self) -> None:
        if is_here():
            self._hooks.install()
        else:
            self._arrival.wait()
        if hasattr(os, "register_at_fork"):
            # Python warns where a process with threads is copied; ours is started again by the next tick.
            os.register_at_fork(before=self._before_fork, after_in_child=self._forked)
        self._departures.watch()
        self._sampler.start()

    def end(self, state: State) -> None:
        """Writes the last of it. Again is harmless, and so is a process that was forked."""
        if self._is_over or os.getpid() != self._process:
            return
        self._is_over = True
        self._calls.stop()
        self._sampler.stop()
        self._bystander.stop()
        self._arrival.leave()
        self._departures.stop()
        self._close_window()
        self._hooks.remove()
        self._write(self.record(state))

    # What the hooks tell

    @property
    def is_in_window(self) -> bool:
        return self._window is not None and self._window.is_open

    def is_training_thread(self) -> bool:
        return get_ident() == self._thread and not self._is_over

    def active(self) -> None:
        if not self._step_begun:
            self._step_begun = perf_counter()
            self.modules.step_begins(self._steps.count, False)

    def backward_ended(self) -> None:
        if not self._optimizer:
            self._step_ended()

    def optimizer_stepped(self, optimizer: Any) -> None:
        if not self._optimizer:
            # What was taken for steps were backward passes that this step is made of.
            self._optimizer = id(optimizer)
            self._steps.join_next()
        if id(optimizer) != self._optimizer:
            self._others += 1
            if self._others < MOST_STEPS_OF_OTHERS:
                return
            self._optimizer = id(optimizer)
        self._others = 0
        self._step_ended()

    def anomaly_mode_set(self) -> None:
        self._anomaly.was_set()

    def users_profiler_begins(self, profiler: Any) -> None:
        if self._window is not None:
            was_open = self._window.is_open
            self._window.users_profiler_begins(profiler)
            if was_open and not self._window.is_open:
                self._window_closed()

    # The clock

    def _step_ended(self) -> None:
        now = perf_counter()
        self._is_busy = True
        number, is_in_window = self._steps.count, self.is_in_window
        is_looked_at = number == LOOKED_AT
        phases = self.stopwatch.take()
        self._steps.add(
            self._step_begun - self._started, now - self._step_begun, phases, is_in_window or is_looked_at
        )
        if is_looked_at:
            self._calls.stop()
        if number == 0:
            self.syncs.clear()
            self._sampler.look_closely()
        self._anomaly.step_ended()
        self._memory.look(now - self._started, number)
        if self._window is not None:
            was_open = self._window.is_open
            self._window.step_ended(number)
            if was_open and not self._window.is_open:
                self._window_closed()
            if was_open or self._window.is_open:
                self._sampler.skip()
        self._progress(self._steps.count, self.is_in_window)
        self.modules.step_begins(self._steps.count, self.is_in_window)
        self._is_busy = False
        self._write_if_due()
        self._step_begun = perf_counter()
        if self._steps.count == LOOKED_AT:
            self._calls.start()
        if self._steps.count == self._most_steps:
            raise SystemExit(0)

    def _close_window(self) -> None:
        if self._window is not None and self._window.is_open:
            self._window.close()
            self._window_closed()

    def _window_closed(self) -> None:
        window = self._window
        if window is not None and window.result is not None:
            self.modules.add_backward(window.result.backward, window.steps)

    def _tick(self, frame: FrameType | None, seconds: float, late: float) -> None:
        if os.getpid() != self._process:
            return
        stacks, is_start_up = self._stacks, self._steps.count == 0
        seen = self._bystander.take(with_waits=late > 0)
        if self._is_busy:
            return
        is_behind_call = stacks.is_behind_call(frame)
        self._bystander.is_wanted = late > 0 or is_behind_call
        for stack in seen:
            stacks.add(stack, seconds / len(seen), seconds / len(seen), is_start_up)
        if not seen:
            native = seconds if is_behind_call else late
            stacks.add(stacks.stack_of(frame), seconds, native, is_start_up)
        self._write_if_due()
        self._bystander.interval = self._sampler.interval
        self._bystander.start()

    def _write_if_due(self) -> None:
        begun = perf_counter()
        if begun < self._next_write:
            return
        self._is_busy = True
        self._write(self.record("running"))
        now = perf_counter()
        self._next_write = now + max(FIRST_WRITE_S, (now - begun) / WRITING_SHARE)
        self._sampler.skip()
        self._is_busy = False

    def _before_fork(self) -> None:
        if not self._is_over and self.is_training_thread():
            self._bystander.stop()

    def _forked(self) -> None:
        """A worker or another copy, which runs at its own speed and writes nothing of ours."""
        if self._is_over:
            return
        self._is_over = True
        self._calls.stop()
        self._sampler.forget()
        self._departures.stop()
        self._hooks.remove()

    # The record

    def record(self, state: State) -> Profile:
        steps, window = self._steps, self._window
        seconds = perf_counter() - self._started
        count, measured, _ = steps.measured()
        has_trained = steps.count > 1
        result = window.result if window is not None else None
        recorded = max(1, window.steps) if window is not None else 1
        modules = self.modules.record()
        return {
            "contractVersion": CONTRACT_VERSION,
            "time": self._time.isoformat(timespec="seconds"),
            "mode": "training",
            "program": self._program,
            "arguments": self._arguments,
            "python": ".".join(map(str, sys.version_info[:3])),
            "torch": version_of("torch"),
            "device": _device(),
            "threads": _threads(),
            "state": state,
            "seconds": round(seconds, 4),
            "startUp": round(steps.start_up_ended if steps.count else seconds, 4),
            "steps": steps.count,
            "measuredSteps": count,
            "measuredSeconds": round(measured, 6),
            "window": [window.first, window.first + window.steps - 1]
            if window is not None and result
            else [],
            "phases": steps.phases(),
            "stepTable": steps.table(),
            "outliers": steps.outliers(),
            "lines": self._stacks.lines(has_trained),
            "sampling": {
                "clock": _clock(self._sampler.used),
                "interval": self._sampler.interval,
                "samples": self._stacks.samples,
                "seconds": round(self._stacks.seconds(has_trained), 4),
            },
            "stacks": self._stacks.tree(has_trained),
            "loaders": self.loaders.record(),
            "modules": modules,
            "ops": result.record(recorded) if result is not None else [],
            "peakFlops": window.peak_flops if window is not None else 0.0,
            "syncs": self.syncs.record(max(1, steps.count - 1)) if has_trained else [],
            "memory": self._memory.record(),
            "facts": [*self._anomaly.facts(), *self._calls.facts(), *warned_of()],
            "advice": [],
            "problems": self._problems(),
            "truncated": self.modules.is_truncated,
        }

    def _problems(self) -> list[str]:
        said = [self._sampler.problem, self._window.problem if self._window is not None else ""]
        if not self._steps.count:
            said.append("Nothing was trained: no backward pass and no step of an optimizer was seen.")
        return [each for each in said if each]


def _clock(name: str) -> Literal["wall", "cpu", "none"]:
    return "wall" if name == "wall" else "cpu" if name == "cpu" else "none"


def _device() -> str:
    cuda: Any = getattr(sys.modules.get("torch"), "cuda", None)
    if cuda is not None and cuda.is_initialized():
        return str(cuda.get_device_name())
    return "cpu"


def _threads() -> int:
    torch: Any = sys.modules.get("torch")
    return int(torch.get_num_threads()) if torch is not None and hasattr(torch, "get_num_threads") else 0
