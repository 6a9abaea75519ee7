"""Everything known about the training in this process; `TRAINING` is the one object of it."""

from __future__ import annotations

import sys
import threading
from collections import deque
from collections.abc import Mapping
from types import FrameType
from typing import Any, Callable

from tensorpeek.contract.messages import Finding
from tensorpeek.probe.conditions.condition import Condition
from tensorpeek.probe.training.clock import Clock
from tensorpeek.probe.training.dispatch import Active, Dispatch
from tensorpeek.probe.training.findings import make_finding
from tensorpeek.probe.training.hooks import Hooks
from tensorpeek.probe.training.loss_names import loss_name
from tensorpeek.probe.training.models import Models
from tensorpeek.probe.training.moments import Batch, Failure, Loss, ModuleCall, Step
from tensorpeek.probe.training.places import place_of, user_frame
from tensorpeek.probe.training.report import Report
from tensorpeek.probe.training.step_record import StepRecord
from tensorpeek.probe.training.torch_arrival import Arrival, is_here

Listener = Callable[[Finding, "FrameType | None", "dict[str, Any]"], None]

LOSSES_KEPT = 60
FINDINGS_KEPT = 100


class Training:
    def __init__(self) -> None:
        self.clock = Clock()
        self.models = Models()
        self.findings: list[Finding] = []
        """The latest 100."""
        self.losses: dict[str, deque[float]] = {}
        """The last values of each, by its name in the user's text."""
        self.problems: list[str] = []
        """What went wrong with us, each a line for a log."""
        self.is_evaluating: Callable[[], bool] = lambda: False
        """Whether this thread evaluates an expression of the user's while paused: no moment of the training."""
        self._dispatch = Dispatch(self.problems)
        self._hooks = Hooks(self)
        self._arrival = Arrival(self._install)
        self._listeners: list[Listener] = []
        self._callbacks: dict[str, list[Callable[[Any], None]]] = {}
        self._local = threading.local()
        self._number = 0
        self._budget_percent = 1.0

    # What others ask for

    @property
    def record(self) -> StepRecord | None:
        """Of the step that this thread is in."""
        return getattr(self._local, "record", None)

    @property
    def optimizers(self) -> list[Any]:
        return self.clock.optimizers

    def conditions(self) -> list[Condition]:
        return self._dispatch.conditions

    def configure(self, chosen: Mapping[str, Mapping[str, float]], budget_percent: float = 1.0) -> None:
        """Watches for these conditions from now on: settings by id. Also while the program runs."""
        from tensorpeek.probe.conditions.registry import BY_ID

        self._budget_percent = budget_percent
        self._dispatch.configure(chosen, BY_ID)

    def add_listener(self, callback: Listener) -> None:
        """Told of each finding, in the thread of its moment, before the weights change."""
        self._listeners.append(callback)

    def on_moment(self, kind: str, callback: Callable[[Any], None]) -> Callable[[], None]:
        """Calls back at each moment of a kind: batch, module, loss, gradients, update. Returns its remover."""
        callbacks = self._callbacks.setdefault(kind, [])
        callbacks.append(callback)

        def remove() -> None:
            if callback in callbacks:
                callbacks.remove(callback)

        return remove

    def start(self) -> None:
        """Begins to see the training, as soon as torch is there. Again is harmless."""
        if is_here():
            self._install()
        else:
            self._arrival.leave()
            self._arrival.wait()

    def stop(self) -> None:
        """Takes everything out of torch."""
        self._arrival.leave()
        self._hooks.remove()

    def failed(self, error: BaseException) -> None:
        """An exception has left the program, or is about to."""
        if self.wants("failure"):
            frame = None
            trace = error.__traceback__
            while trace is not None:
                frame = user_frame(trace.tb_frame) or frame
                trace = trace.tb_next
            self._moment("failure", Failure(self, error, error.__traceback__), frame)

    def ended(self) -> None:
        """The program ends."""
        self._findings_of("end", self._dispatch.tell("end", None, self.clock.step), None)

    def wants(self, kind: str) -> bool:
        return self._dispatch.wants(kind) or bool(self._callbacks.get(kind))

    # What the hooks tell: the methods of hooks.Events

    def root_called(
        self, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any], frame: FrameType | None
    ) -> None:
        if self.is_evaluating():
            return
        self.models.add_root(module)
        record = StepRecord(self.clock.step, module, args, dict(kwargs))
        record.random_state = sys.modules["torch"].get_rng_state()
        if frame is not None:
            record.code, record.line = frame.f_code, frame.f_lineno or 0
        self._local.record = record
        self._hooks.measure(self.wants("module"))
        if self.wants("batch"):
            self._moment("batch", Batch(self, module, args, kwargs, frame, record.rows), frame)

    def module_returned(
        self, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any
    ) -> None:
        frame = user_frame()
        name = self.models.module_path(module)
        self._moment("module", ModuleCall(self, module, name, args, kwargs, output, frame), frame)

    def before_backward(self, roots: list[Any], retains_graph: bool, frame: FrameType | None) -> bool:
        if self.is_evaluating():
            return True
        self._hooks.measure(False)
        self.clock.backwards += 1
        record = self.record
        for index, root in enumerate(roots):
            name, scale = loss_name(frame, index), 1.0
            value = root.item() / scale if root.device.type == "cpu" and root.numel() == 1 else None
            if value is not None:
                self.losses.setdefault(name, deque(maxlen=LOSSES_KEPT)).append(value)
            if record is not None:
                record.loss, record.frame = value, frame
                record.backward_line = frame.f_lineno or 0 if frame is not None else 0
            self._moment("loss", Loss(self, root, name, frame, value, scale, retains_graph), frame)
        if record is not None:
            record.frame = None
        return True

    def after_backward(self) -> None: ...

    def backward_failed(self, error: BaseException) -> None: ...

    def gradients_ready(self, optimizer: Any, frame: FrameType | None) -> None:
        if self.is_evaluating():
            return
        step = self._local.step = Step(self, optimizer, frame, self.clock.step)
        record = self.record
        if record is not None:
            record.frame = frame
        self._moment("gradients", step, frame)
        if record is not None:
            record.frame = None

    def weights_changed(self, optimizer: Any, frame: FrameType | None) -> None:
        step = getattr(self._local, "step", None)
        self._local.step = None
        self.clock.took_step(optimizer)
        if step is not None:
            self._moment("update", step, frame)

    def step_skipped(self, optimizer: Any, frame: FrameType | None) -> None:
        self._moment("skip", Step(self, optimizer, frame, self.clock.step), frame)

    def scaled(self, scaler: Any, outputs: Any, result: Any) -> None: ...

    def batch_fetched(self, iterator: Any, is_first: bool) -> None: ...

    def indices_drawn(self, iterator: Any, indices: Any) -> None: ...

    # Inside

    def _install(self) -> None:
        if not self._hooks.installed:
            self._hooks.install()

    def _moment(self, kind: str, moment: Any, frame: FrameType | None) -> None:
        if self._dispatch.wants(kind):
            self._findings_of(kind, self._dispatch.tell(kind, moment, self.clock.step), frame)
        for callback in self._callbacks.get(kind, ()):
            callback(moment)

    def _findings_of(self, kind: str, reports: list[tuple[Active, Report]], frame: FrameType | None) -> None:
        for active, report in reports:
            self._number += 1
            finding = make_finding(
                active.id,
                report,
                place_of(frame),
                number=self._number,
                step=self.clock.step,
                epoch=self.clock.epoch,
            )
            self.findings.append(finding)
            del self.findings[:-FINDINGS_KEPT]
            for listener in self._listeners:
                try:
                    listener(finding, frame, report.values)
                except Exception as error:  # noqa: BLE001  the program must not notice
                    self.problems.append(f"{type(error).__name__} while telling of a finding: {error}")
            self.clock.paused()


TRAINING = Training()
