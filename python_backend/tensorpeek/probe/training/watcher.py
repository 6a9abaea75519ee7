"""Makes the moments of a training from what the hooks tell."""

from __future__ import annotations

import math
import threading
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any, NamedTuple

from tensorpeek.probe.replay.region import names_to_keep
from tensorpeek.probe.training import device_values, scaling
from tensorpeek.probe.training.capsule import NoCapsule
from tensorpeek.probe.training.capsule_replay import CapsuleReplay, Replayed
from tensorpeek.probe.training.loss_names import loss_name
from tensorpeek.probe.training.moments import Batch, Evaluation, Fetched, Loss, ModuleCall, Step
from tensorpeek.probe.training.passes import DataPasses
from tensorpeek.probe.training.places import is_users_code, line_in, user_frame
from tensorpeek.probe.training.random_state import random_state
from tensorpeek.probe.training.step_record import StepRecord
from tensorpeek.probe.training.unobserved import is_observed, unobserved

if TYPE_CHECKING:
    from tensorpeek.probe.training.dispatch import Dispatch
    from tensorpeek.probe.training.training import Training

CALLERS = 8
SLOW_STEP_S = 0.02
"""Beside such a step it costs nothing to keep the state of Python's and NumPy's generators."""
FIRST_STEPS = 20


class Watcher:
    """The `hooks.Events`. Each thread has a step of its own."""

    def __init__(self, training: Training, dispatch: Dispatch) -> None:
        self._training = training
        self._dispatch = dispatch
        self._passes = DataPasses()
        self._scaling = scaling.Scaling()
        self._late_losses = device_values.LateValues()
        self._local = _Local()
        self.is_idle_copy = False
        """Whether this process was forked from the one that trains, and has not trained itself."""
        self.gradient_norm: float | None = None
        self._is_measuring = False
        """Whether the modules' calls are told of."""

    @property
    def record(self) -> StepRecord | None:
        return self._local.state.record

    @property
    def gradients_are_ready(self) -> bool:
        """Whether this thread's backward pass has run, and its optimizer has not stepped since."""
        return self._local.state.is_backward_done

    def root_called(
        self, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any], frame: FrameType | None
    ) -> tuple[Any, ...] | None:
        training, state = self._training, self._local.state
        if self.is_idle_copy or training.is_evaluating():
            return None
        clock = training.clock
        replaced = None
        if training.replay is not None:
            replaced = args = self._replay(training.replay, module, args, kwargs, frame)
        step, seconds = clock.step, clock.step_seconds
        self._dispatch.begin(step, seconds)
        last = state.record
        if last is None or last.module is not module:
            training.models.add_root(module)
            training.tell_evaluations_of(module)
        whole = step < FIRST_STEPS or seconds > SLOW_STEP_S
        record = StepRecord(step, module, args, kwargs, random_state(whole))
        record.rows = self._passes.rows
        if frame is not None:
            _note_place(record, frame)
        state.record = record
        state.is_backward_done = False
        wanted = training.wants("module")
        if wanted is not self._is_measuring:
            self._measure(wanted)
        is_elsewhere = last is not None and (last.code is not record.code or last.line != record.line)
        if is_elsewhere and frame is not None and training.wants("evaluation"):
            training.moment("evaluation", Evaluation(training, module, args, kwargs, frame, True), frame)
        if training.wants("batch"):
            training.moment("batch", Batch(training, module, args, kwargs, frame, record.rows), frame)
        return replaced

    def root_evaluated(
        self, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any], frame: FrameType | None
    ) -> None:
        training = self._training
        if not self.is_idle_copy and not training.is_evaluating() and training.wants("evaluation"):
            training.moment("evaluation", Evaluation(training, module, args, kwargs, frame), frame)

    def module_returned(
        self, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any
    ) -> None:
        training = self._training
        frame = user_frame()
        name = training.models.module_path(module)
        training.moment("module", ModuleCall(training, module, name, args, kwargs, output, frame), frame)

    def forked(self) -> None:
        """This process is a copy now, such as a DataLoader's worker: it is silent until it trains."""
        self.is_idle_copy = True

    def before_backward(self, roots: list[Any], retains_graph: bool, frame: FrameType | None) -> bool:
        training, state = self._training, self._local.state
        record = state.record
        self.is_idle_copy = False
        if training.is_evaluating():
            return True
        training.clock.began_backward(self._passes.epoch())
        if record is None or state.is_backward_done:
            self._dispatch.begin(training.clock.step, training.clock.step_seconds)
        if self._is_measuring:
            self._measure(False)
        if record is not None and frame is not None:
            record.frame, record.backward_line = frame, line_in(frame)
        try:
            for index, root in enumerate(roots):
                self._loss(root, index, retains_graph, frame, record)
        finally:
            if record is not None:
                record.frame = None
        return not (training.wishes.drops_batch and training.wishes.take_drop())

    def after_backward(self) -> None:
        self._local.state.is_backward_done = True

    def gradients_ready(self, optimizer: Any) -> bool:
        training, state = self._training, self._local.state
        if training.is_evaluating():
            return True
        training.clock.begins_step(optimizer)
        if training.wants("gradients") or training.wants("update"):
            frame, record = user_frame(), state.record
            scale = scaling.factor_in(optimizer)
            step = state.step = Step(training, optimizer, frame, training.clock.step, scale)
            if record is not None:
                record.frame = frame
            try:
                training.moment("gradients", step, frame)
                self._keep_norm(step)
            finally:
                if record is not None:
                    record.frame = None
        training.ranks.before_step()
        return not (training.wishes.skips_step and training.wishes.take_skip())

    def _keep_norm(self, step: Step) -> None:
        """Where a condition has worked out the norms, they are the view's as well."""
        norms = step.cache.get("gradient norms") if step.cache else None
        if norms:
            self.gradient_norm = math.hypot(*norms.values())

    def weights_changed(self, optimizer: Any) -> None:
        training, state = self._training, self._local.state
        if training.is_evaluating():
            return
        step, state.step = state.step, None
        state.is_backward_done = False
        training.clock.took_step(optimizer)
        if step is not None and training.wants("update"):
            training.moment("update", step, step.frame)
        training.end_step()

    def step_skipped(self, optimizer: Any) -> None:
        training, frame = self._training, user_frame()
        self._local.state.is_backward_done = False
        training.moment("skip", Step(training, optimizer, frame, training.clock.step), frame)
        training.end_step()

    def leaves_out_step(self) -> bool:
        return self._training.wishes.take_skip()

    def scaled(self, scaler: Any, outputs: Any, result: Any) -> None:
        self._scaling.scaled(scaler, outputs, result)

    def batch_fetched(self, iterator: Any, is_first: bool, batch: Any) -> None:
        self._passes.fetched(iterator, is_first)
        training = self._training
        if training.wants("fetched") and not self.is_idle_copy and not training.is_evaluating():
            dataset = getattr(iterator, "_dataset", None)
            training.moment("fetched", Fetched(training, dataset, batch, self._passes.rows), user_frame())

    def indices_drawn(self, iterator: Any, indices: Any) -> None:
        self._passes.indices_drawn(iterator, indices)

    def failed_inside(self, error: Exception) -> None:
        self._training.note_problem("while watching the training", error)

    def _replay(
        self,
        replay: CapsuleReplay,
        module: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        frame: FrameType | None,
    ) -> tuple[Any, ...]:
        self._training.replay = None
        try:
            args, moment, step = replay.load(module, args, kwargs, frame)
            self._training.clock.begins_at(step)
        except NoCapsule as problem:
            moment = Replayed(frame, "Capsule not replayed", f"{problem}.")
        self._training.moment("capsule", moment, frame)
        return args

    def _measure(self, wanted: bool) -> None:
        self._is_measuring = wanted
        self._training.measure_modules(wanted)

    def _loss(
        self,
        root: Any,
        index: int,
        retains_graph: bool,
        frame: FrameType | None,
        record: StepRecord | None,
    ) -> None:
        training = self._training
        name = loss_name(frame, index)
        loss, scale = self._scaling.take(root)
        if is_observed(loss):
            with unobserved():
                value, late = self._value(name, loss)
        else:
            value, late = self._value(name, loss)
        if value is not None:
            training.keep_loss(name, value)
            if record is not None:
                record.loss = value
        if training.wants("loss"):
            moment = Loss(training, root, name, frame, value, scale, retains_graph, late)
            training.moment("loss", moment, frame)

    def _value(self, name: str, loss: Any) -> tuple[float | None, bool]:
        """The number, and whether it is of the step before."""
        if loss.numel() != 1:
            return None, False
        if device_values.is_at_hand(loss):
            value = loss.item()
            return (value if isinstance(value, float) else None), False
        values = self._late_losses.exchange(name, loss)
        return (values[0] if values else None), True


class _State:
    record: StepRecord | None = None
    step: Step | None = None
    is_backward_done = False


class _Local(threading.local):
    def __init__(self) -> None:
        self.state = _State()
        """Of the thread: one look-up for all of it."""


class _Site(NamedTuple):
    """What is always so of a line that calls the model."""

    code: CodeType
    """Kept alive, since its address is the key: its hash would be worked out anew each time."""
    line: int
    names: tuple[str, ...]
    """Whose values a second run of the step needs."""
    calls_backward: bool


_sites: dict[tuple[int, int], _Site] = {}
"""By the code's address and the instruction."""


def _note_place(record: StepRecord, frame: FrameType) -> None:
    """Where the user's function calls the model, and what a second call of it needs."""
    code = frame.f_code
    key = (id(code), frame.f_lasti)
    site = _sites.get(key)
    if site is None:
        calls_backward = any("backward" in name for name in code.co_names)
        line = frame.f_lineno or 0
        site = _sites[key] = _Site(code, line, names_to_keep(code, line), calls_backward)
    record.code, record.line = code, site.line
    if site.names:
        present = frame.f_locals
        record.arguments = {name: present[name] for name in site.names if name in present}
    if not site.calls_backward:
        record.callers = _callers(frame)


def _callers(frame: FrameType) -> tuple[tuple[CodeType, int], ...]:
    found: list[tuple[CodeType, int]] = []
    above = frame.f_back
    while above is not None and len(found) < CALLERS:
        if is_users_code(above.f_code):
            found.append((above.f_code, above.f_lasti))
        above = above.f_back
    return tuple(found)
