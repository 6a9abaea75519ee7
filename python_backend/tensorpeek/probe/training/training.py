"""Everything known about the training in this process; `TRAINING` is the one object of it."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import Any, Callable

from tensorpeek.contract.messages import Finding, Recommendations
from tensorpeek.probe.conditions.condition import Condition
from tensorpeek.probe.conditions.registry import BY_ID
from tensorpeek.probe.process import problem_of_torch
from tensorpeek.probe.replay.alone import part_from_ranks
from tensorpeek.probe.replay.copy_of_process import AT_START
from tensorpeek.probe.replay.in_place import SILENCERS
from tensorpeek.probe.run_output import RUN_OUTPUT
from tensorpeek.probe.training import actions, capsule
from tensorpeek.probe.training.blind import blind_spots
from tensorpeek.probe.training.capsule_replay import CapsuleReplay
from tensorpeek.probe.training.clock import Clock
from tensorpeek.probe.training.dispatch import Dispatch
from tensorpeek.probe.training.hooks import Hooks
from tensorpeek.probe.training.models import Models
from tensorpeek.probe.training.moments import Failure
from tensorpeek.probe.training.overhead import Budget
from tensorpeek.probe.training.places import user_frame
from tensorpeek.probe.training.ranks import Ranks
from tensorpeek.probe.training.recommend import recommend
from tensorpeek.probe.training.reporting import Listener, Reporting
from tensorpeek.probe.training.step_record import StepRecord
from tensorpeek.probe.training.torch_arrival import Arrival, is_here
from tensorpeek.probe.training.watcher import Watcher

LOSSES_KEPT = 100


class Training:
    def __init__(self) -> None:
        self.clock = Clock()
        self.models = Models()
        self.losses: dict[str, deque[float]] = {}
        """The last values of each, by its name in the user's text."""
        self.problems: list[str] = []
        """What went wrong with us, each a line for a log."""
        self.wishes = actions.Wishes()
        self.is_evaluating: Callable[[], bool] = lambda: False
        """Whether this thread evaluates an expression of the user's while paused: no moment of a training."""
        self.run_folder: Callable[[], Path] = RUN_OUTPUT.path
        """Where a capsule is written to; makes it if need be."""
        self.replay: CapsuleReplay | None = None
        """What the next forward pass is to be replaced by."""
        self.ranks = Ranks(self)
        self._budget = Budget()
        self._dispatch = Dispatch(self._budget, self.note_problem)
        self._watcher = Watcher(self, self._dispatch)
        self._hooks = Hooks(self._watcher)
        self._reporting = Reporting(self)
        self._arrival = Arrival(self._install)
        self._knows_forks = False
        self._also: frozenset[str] = frozenset()
        self._callbacks: dict[str, tuple[Callable[[Any], None], ...]] = {}

    # What is known

    @property
    def sees_steps(self) -> bool:
        """Whether torch tells us of the training at all."""
        return self._hooks.installed

    @property
    def record(self) -> StepRecord | None:
        """Of the step that this thread is in."""
        return self._watcher.record

    @property
    def findings(self) -> list[Finding]:
        """The latest 100."""
        return self._reporting.findings

    @property
    def optimizers(self) -> list[Any]:
        """Those that have begun a step, and are alive."""
        return self.clock.optimizers

    @property
    def gradients_are_ready(self) -> bool:
        """Whether this thread is between a backward pass and the optimizer's step."""
        return self._watcher.gradients_are_ready

    @property
    def overhead_percent(self) -> float:
        return self._budget.overhead_percent

    @property
    def sampled(self) -> str:
        """What was checked in a part of the steps only, for the user; empty when everything was in each."""
        labels = [condition.info.label for condition in self._dispatch.sampled]
        return f"Checked in a part of the steps: {', '.join(labels)}." if labels else ""

    @property
    def blind(self) -> list[str]:
        """What conditions can't see in this program, each a sentence for the user."""
        return blind_spots(self, self._hooks.compiled.are_used)

    @property
    def gradient_norm(self) -> float | None:
        """Of all gradients together, at the last step that was measured."""
        return self._watcher.gradient_norm

    def conditions(self) -> list[Condition]:
        """Those that the user has chosen."""
        return [each for each in self._dispatch.conditions if each.info.id not in self._also]

    # What others ask for

    def configure(
        self,
        chosen: Mapping[str, Mapping[str, float]],
        budget_percent: float = 1.0,
        also: Sequence[str] = (),
    ) -> None:
        """Watches for these conditions from now on: settings by id. Also while the program runs.

        `also` are told of what happens like the others, and nothing is put into torch for them.
        """
        self._budget.percent = budget_percent
        self._also = frozenset(also) - chosen.keys()
        self._dispatch.configure({**{each: {} for each in self._also}, **chosen}, BY_ID)

    def add_listener(self, callback: Listener) -> None:
        """Told of each finding, in the thread of its moment, before the weights change."""
        self._reporting.listeners.append(callback)

    def on_moment(self, kind: str, callback: Callable[[Any], None]) -> Callable[[], None]:
        """Calls back at each moment of a kind: fetched, evaluation, batch, module, loss, gradients, update,
        skip, capsule.

        Returns a function that ends it.
        """
        self._callbacks[kind] = (*self._callbacks.get(kind, ()), callback)

        def remove() -> None:
            left = tuple(other for other in self._callbacks.get(kind, ()) if other is not callback)
            if left:
                self._callbacks[kind] = left
            else:
                self._callbacks.pop(kind, None)

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

    def silence(self) -> Callable[[], None]:
        """Sees nothing of what modules do, until the function that this returns is called."""
        return self._hooks.silence()

    def failed(self, error: BaseException) -> None:
        """An exception has left the program, or is about to."""
        frame = None
        trace = error.__traceback__
        while trace is not None:
            frame = user_frame(trace.tb_frame) or frame
            trace = trace.tb_next
        self.moment("failure", Failure(self, error, error.__traceback__), frame)

    def ended(self) -> None:
        """The program ends."""
        if self._watcher.is_idle_copy:
            return
        self.ranks.ended()
        self._reporting.report("end", self._dispatch.tell_end(self.clock.step), None)

    def act(self, action: str, value: float | None = None) -> tuple[str, str]:
        """Does what the user wants at a stop: what was done, and the path of a file that was written."""
        if action == "skipStep":
            return actions.skip_step(self), ""
        if action == "dropBatch":
            return actions.drop_batch(self), ""
        if action == "setLearningRate" and value is not None:
            return actions.set_learning_rate(self, value), ""
        if action == "saveCapsule":
            path = capsule.save(self, self.run_folder())
            return f"The capsule of step {self.clock.step} is in {path}.", str(path)
        raise ValueError(f"no action {action}")

    def recommend(self) -> Recommendations:
        """Conditions that fit the models and steps seen so far."""
        return recommend(self)

    def replay_capsule(self, path: str) -> None:
        """Puts the program into the capsule's state at its first forward pass: the moment `capsule`."""
        self.replay = CapsuleReplay(path)

    # What the watcher tells

    def wants(self, kind: str) -> bool:
        """Whether anyone is to be told of such a moment in this step."""
        return kind in self._dispatch.now or kind in self._callbacks

    def measure_modules(self, wanted: bool) -> None:
        """Whether the modules' calls are moments from now on."""
        self._hooks.measure(wanted)

    def tell_evaluations_of(self, module: Any) -> None:
        """Calls of this model without gradients are moments from now on, if anyone wants them."""
        if self.wants("evaluation"):
            self._hooks.evaluated.add(id(module))

    def end_step(self) -> None:
        self._dispatch.over()
        self._budget.steps += 1

    def keep_loss(self, name: str, value: float) -> None:
        values = self.losses.get(name)
        if values is None:
            values = self.losses[name] = deque(maxlen=LOSSES_KEPT)
        values.append(value)

    def moment(self, kind: str, moment: Any, frame: FrameType | None) -> None:
        """Tells everyone, and reports what the conditions found."""
        reports = self._dispatch.tell(kind, moment, self.clock.step)
        if reports:
            self._reporting.report(kind, reports, frame)
        for callback in self._callbacks.get(kind, ()):
            callback(moment)

    def stopped_for(self, seconds: float) -> None:
        """The program has stood still, as for the listeners of a finding, most of it the user's."""
        self._budget.paused(seconds)
        self._dispatch.paused(seconds)
        self.clock.paused()

    def note_problem(self, what: str, error: Exception) -> None:
        where = error.__traceback__
        while where is not None and where.tb_next is not None:
            where = where.tb_next
        place = f"{Path(where.tb_frame.f_code.co_filename).name}:{where.tb_lineno}" if where else ""
        line = f"{what}: {type(error).__name__}: {error} ({place})"
        if line not in self.problems:
            self.problems.append(line)

    def _install(self) -> None:
        if self._hooks.installed:
            return
        problem = problem_of_torch()
        if problem:
            self.problems.append(f"The training is not watched: {problem}.")
            return
        self._budget.begin()
        self._hooks.install()
        if hasattr(os, "register_at_fork") and not self._knows_forks:
            self._knows_forks = True
            os.register_at_fork(after_in_child=self._watcher.forked)


TRAINING = Training()
# A step is run again in a copy of the process, which is nobody's training.
AT_START.extend((TRAINING.stop, part_from_ranks))
SILENCERS.append(TRAINING.silence)
