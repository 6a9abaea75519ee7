"""Training-wide conditions in a debug session: the commands about them, and what happens at a finding."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from types import FrameType
from typing import Any, Callable

from tensorpeek.contract.messages import (
    ConditionsArguments,
    Finding,
    Recommendations,
    StopArguments,
    StopInfo,
    TrainingActionArguments,
    TrainingActionResult,
    TrainingState,
)
from tensorpeek.probe import pydevd_client, pydevd_lines, pydevd_stops
from tensorpeek.probe.feature import Command, Feature
from tensorpeek.probe.run_output import RUN_OUTPUT
from tensorpeek.probe.stops import stop
from tensorpeek.probe.stops.console import Console
from tensorpeek.probe.stops.state import training_state
from tensorpeek.probe.stops.uncaught import UncaughtExceptions
from tensorpeek.probe.training.training import TRAINING

EXPLAINS = ("shape-error",)
"""What says more of an exception for which the program stops anyway, whether its box is ticked or not."""
ACTION_PATIENCE = 50.0
"""Seconds; a capsule of a large model takes its time."""


class Stops(Feature):
    """Listens to the training, and stops the program at what is found."""

    def __init__(self) -> None:
        self._is_on = False
        self._is_listening = False
        self._problem = ""
        self._uncaught = UncaughtExceptions(self._failed)
        self._capsule = ""
        self._problems_said = 0

    def commands(self) -> Mapping[str, Command]:
        return {
            "conditions": self._conditions,
            "stop": self._stop,
            "training": self._training,
            "action": self._action,
            "recommend": self._recommend,
        }

    def register(self) -> None:
        self._problem = pydevd_stops.problem()
        if self._problem:
            return
        pydevd_stops.describe_stops()
        pydevd_client.offer_name("tp", Console)
        self._uncaught.register()
        RUN_OUTPUT.complain = say

    def release(self) -> None:
        self._is_on = self._uncaught.explains = False
        self._uncaught.uninstall()
        TRAINING.ranks.may_stop = False
        TRAINING.configure({})
        TRAINING.stop()

    # The commands

    def _conditions(self, arguments: ConditionsArguments) -> dict[str, Any]:
        if self._problem:
            raise RuntimeError(self._problem)
        RUN_OUTPUT.write_into(arguments["runsFolder"])
        chosen = {each["condition"]: each["settings"] for each in arguments["conditions"]}
        TRAINING.configure(chosen, arguments["budgetPercent"], EXPLAINS)
        if arguments["capsule"] and arguments["capsule"] != self._capsule:
            self._capsule = arguments["capsule"]
            TRAINING.replay_capsule(self._capsule)
        self._is_on = self._uncaught.explains = True
        TRAINING.ranks.may_stop = bool(chosen)
        if chosen:
            self._uncaught.install()
        else:
            self._uncaught.uninstall()
        if not self._is_listening:
            self._is_listening = True
            TRAINING.is_evaluating = pydevd_stops.is_evaluating
            TRAINING.add_listener(self._found)
            TRAINING.ranks.say = say
            TRAINING.on_moment("capsule", self._capsule_loaded)
            pydevd_lines.before_the_end(partial(self._ended, os.getpid()))
        if chosen or self._capsule:  # hooks that nobody needs cost too, above all where pydevd traces them
            TRAINING.start()
        return {}

    def _stop(self, arguments: StopArguments) -> StopInfo:
        return stop.stop_info(arguments["threadId"], arguments["frameId"])

    def _training(self, arguments: Any) -> TrainingState:
        """The view is open: from now on there is something to show in it."""
        TRAINING.start()
        self._say_problems()
        return training_state()

    def _action(self, arguments: TrainingActionArguments) -> TrainingActionResult:
        """In the stopped thread: whose step is meant is known by the thread."""
        action, value = arguments["action"], arguments.get("value")
        thread = next(iter((*stop.stopped_threads(), *pydevd_client.stopped_threads())), None)
        if thread is None:
            raise RuntimeError("the program is not paused")
        message, path = pydevd_client.run_in(thread, lambda: TRAINING.act(action, value), ACTION_PATIENCE)
        return {"message": message, "path": path}

    def _recommend(self, arguments: Any) -> Recommendations:
        return TRAINING.recommend()

    # A finding

    def _ended(self, pid: int) -> None:
        """A forked process comes here too; what it ends is not the training."""
        if os.getpid() == pid:
            quietly(TRAINING.ended)
            self._say_problems()

    def _failed(self, error: BaseException) -> None:
        quietly(lambda: TRAINING.failed(error))

    def _found(self, finding: Finding, frame: FrameType | None, values: dict[str, Any]) -> None:
        """In the thread of the moment: what is found is written and told first, then the program stops."""
        if not self._is_on:
            return
        at_exception = self._uncaught.stop
        finding["stopped"] = finding["stopped"] and frame is not None and pydevd_stops.can_stop()
        RUN_OUTPUT.add_finding(finding)
        self._say_problems()
        pydevd_client.send_event("tensorpeek/finding", {**finding})
        say(f"{finding['message']}{_where(finding)}")
        if not finding["stopped"]:
            return
        made = stop.of_finding(finding, values)
        if at_exception is None:
            TRAINING.ranks.stop(frame, lambda frame: stop.stop_at(frame, made))
        else:
            with stop.shown_as(made):
                at_exception(made.notice)

    def _capsule_loaded(self, moment: Any) -> None:
        """The program stands where the capsule was made, and stops there."""
        say(moment.message)
        made = stop.Stop(moment.title, moment.message, reason="entry", scope="Capsule", values=moment.values)
        stop.stop_at(moment.frame, made)

    def _say_problems(self) -> None:
        """Conditions that failed, a capsule that can't be read: each once, in the Debug Console."""
        new = TRAINING.problems[self._problems_said :]
        self._problems_said += len(new)
        for problem in new:
            say(problem)


def quietly(tell: Callable[[], None]) -> None:
    """For calls from where the program ends: what goes wrong with us must not be added to its last words."""
    try:
        tell()
    except Exception as error:  # noqa: BLE001 - whatever it is
        say(f"{type(error).__name__} in a condition: {error}")


def say(text: str) -> None:
    """A line in the Debug Console."""
    pydevd_client.send_event("output", {"category": "console", "output": f"TensorPeek: {text}\n"})


def _where(finding: Finding) -> str:
    parts = [f"{finding['path']}:{finding['line']}"] if finding["path"] else []
    if finding["step"] >= 0:
        parts.append(f"step {finding['step']}")
    return f" ({', '.join(parts)})" if parts else ""
