"""The one door into the probe: `handle(command, arguments)` answers every request of the adapter."""

from __future__ import annotations

import json
from typing import Any, Callable

from tensorpeek.contract.messages import CONTRACT_VERSION, ProbeReply, TensorTable
from tensorpeek.probe import pydevd_access, pydevd_own_code, pydevd_tracing, pydevd_uncaught
from tensorpeek.probe.answers import Answers
from tensorpeek.probe.feature import Feature
from tensorpeek.probe.frame_lines import frame_lines
from tensorpeek.probe.lines.feature import LineConditions
from tensorpeek.probe.many_locals import folded_locals
from tensorpeek.probe.module_breakpoints.feature import ModuleStops
from tensorpeek.probe.process import process_info
from tensorpeek.probe.providers import ValueChildren, ValueText
from tensorpeek.probe.quiet import ignored_warnings
from tensorpeek.probe.shapes.feature import Shapes
from tensorpeek.probe.stops.feature import Stops
from tensorpeek.probe.tensor_table import tensor_table
from tensorpeek.probe.watches.feature import DataBreakpoints

LARGEST_REPLY = 4 * 1024 * 1024
"""Characters of JSON in one reply."""

FEATURES: tuple[Feature, ...] = (Stops(), LineConditions(), ModuleStops(), DataBreakpoints(), Shapes())
"""What has commands beside those about values."""


class Session:
    """The probe's part of one debug session."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self._problem = ""
        self._is_registered = False
        self._commands: dict[str, Callable[[Any], Any]] = {
            "configure": self._configure,
            "process": self._process,
            "summarize": self._summarize,
            "refine": self._refine,
            "lines": self._lines,
            "tensors": self._tensors,
        }
        for feature in FEATURES:
            self._commands.update(feature.commands())

    def register(self) -> None:
        """Takes over texts and children from pydevd, once; or notes why it can't."""
        if self._is_registered:
            return
        self._problem = pydevd_access.problem()
        if self._problem:
            return
        pydevd_access.register(ValueText(self._answers), ValueChildren(self._answers))
        pydevd_access.on_resume(self._answers.forget)
        pydevd_access.on_evaluation(self._answers.changed)
        pydevd_access.group_locals(folded_locals)
        pydevd_access.silence_warnings_by(ignored_warnings)
        pydevd_access.on_disconnect(self._release)
        for feature in FEATURES:
            feature.register()
        pydevd_uncaught.install()
        self._is_registered = True

    def prepare(self) -> None:
        """Called for each debugger that this process has: a forked child makes one of its own."""
        if self._is_registered:
            pydevd_own_code.hide()
            pydevd_tracing.install()

    def handle(self, command: str, arguments_json: str) -> str:
        try:
            run = self._commands.get(command)
            if run is None:
                return failure(f"unknown command {command}")
            return success(run(json.loads(arguments_json)))
        except pydevd_access.Gone as gone:
            return failure(f"the program is no longer paused there: {gone}")
        except BaseException as error:  # noqa: BLE001 - the user's program must not notice
            return failure(f"{command}: {type(error).__name__}: {error}")

    def _configure(self, arguments: Any) -> Any:
        self._answers.value_budget_ms = float(arguments["valueBudgetMs"])
        self._answers.is_configured = not self._problem
        return process_info(self._problem)

    def _release(self) -> None:
        """The adapter has left; the next one may not know envelopes."""
        self._answers.is_configured = False
        for feature in FEATURES:
            feature.release()

    def _process(self, arguments: Any) -> Any:
        return process_info(self._problem)

    def _summarize(self, arguments: Any) -> Any:
        return {"presentations": self._answers.summarize(arguments["references"], arguments["budgetMs"])}

    def _refine(self, arguments: Any) -> Any:
        return self._answers.refine(arguments["reference"], arguments["sliceMs"])

    def _lines(self, arguments: Any) -> Any:
        with self._answers.reading() as deadline_after:
            frame = self._answers.find_value(arguments["frameId"])
            deadline = deadline_after(arguments["budgetMs"])
            return {"texts": frame_lines(frame, arguments["expressions"], deadline)}

    def _tensors(self, arguments: Any) -> TensorTable:
        limit, budget_ms = arguments.get("limit", 1000), arguments.get("budgetMs", 60.0)
        with self._answers.reading() as deadline_after:
            frame = self._answers.find_value(arguments["frameId"])
            return tensor_table(frame, limit, budget_ms, deadline_after)


SESSION = Session(Answers())


def start(arguments_json: str) -> str:
    """Called by `inject.install`: registers once, then configures."""
    SESSION.register()
    SESSION.prepare()
    pydevd_access.send_without_delay()
    return handle("configure", arguments_json)


def handle(command: str, arguments_json: str) -> str:
    """Runs one command of the adapter. Returns the JSON of a ProbeReply.

    A plain string is enough, because the adapter evaluates without a frame, and pydevd does not cut that.
    """
    return SESSION.handle(command, arguments_json)


def success(body: Any) -> str:
    reply: ProbeReply = {"contractVersion": CONTRACT_VERSION, "ok": True, "body": body}
    text = json.dumps(reply, allow_nan=False)
    while len(text) > LARGEST_REPLY and body.get("rows"):  # a tensor table can say that it is not whole
        body.update(rows=body["rows"][: len(body["rows"]) // 2], truncated=True)
        text = json.dumps(reply, allow_nan=False)
    if len(text) > LARGEST_REPLY:
        return failure(f"the reply has {len(text)} characters, more than {LARGEST_REPLY}")
    return text


def failure(error: str) -> str:
    reply: ProbeReply = {"contractVersion": CONTRACT_VERSION, "ok": False, "error": error[:1000]}
    return json.dumps(reply)
