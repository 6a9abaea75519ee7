"""`python -m tensorpeek run`: a program with training-wide conditions and no editor."""

from __future__ import annotations

import atexit
import os
from types import FrameType
from typing import Any

from tensorpeek.cli import on_break, program
from tensorpeek.cli.console import Console
from tensorpeek.cli.options import RunOptions
from tensorpeek.contract.messages import Finding
from tensorpeek.probe.run_output import RUN_OUTPUT
from tensorpeek.probe.shapes.first_step import FIRST_STEP
from tensorpeek.probe.training.training import TRAINING


def run(options: RunOptions) -> None:
    """Ends as the program ends."""
    console = Console()
    try:
        target = (program.module if options.is_module else program.script)(options.target)
    except program.NoProgram as missing:
        console.say(f"tensorpeek: {missing}")
        raise SystemExit(missing.exit_code) from None
    session = Session(options, console)
    session.start()
    program.execute(target, options.arguments, TRAINING.failed)


class Session:
    """Joins the conditions with those who are told of what they find: run folder, terminal, debugger."""

    def __init__(self, options: RunOptions, console: Console) -> None:
        self._options = options
        self._console = console
        self._stop = on_break.action(options.on_break, console)
        self._process = os.getpid()
        self._findings: list[Finding] = []

    def start(self) -> None:
        # Registered before the program's own, so that it runs after them, and after threads that still train.
        atexit.register(self._end)
        TRAINING.add_listener(self._tell)
        TRAINING.ranks.may_stop = self._stop is not None
        TRAINING.ranks.say = lambda text: self._console.say(f"tensorpeek: {text}")
        RUN_OUTPUT.write_into(str(self._options.runs), [self._options.target, *self._options.arguments])
        RUN_OUTPUT.complain = lambda problem: self._console.say(f"tensorpeek: {problem}")
        TRAINING.configure(self._options.conditions, self._options.budget_percent)
        TRAINING.start()
        if self._options.traces_shapes:
            FIRST_STEP.wait()

    def _tell(self, finding: Finding, frame: FrameType | None, values: dict[str, Any]) -> None:
        """In the thread of the moment, before the weights change."""
        finding["stopped"] = finding["stopped"] and self._stop is not None and frame is not None
        self._findings.append(finding)
        RUN_OUTPUT.add_finding(finding)
        self._console.finding(finding)
        if finding["stopped"] and self._stop is not None:
            stop = self._stop
            TRAINING.ranks.stop(frame, lambda frame: stop(finding, frame, values))

    def _end(self) -> None:
        if os.getpid() != self._process:
            return
        TRAINING.ended()
        folder = RUN_OUTPUT.written
        self._console.summary(TRAINING.clock.step, self._findings, str(folder or ""), _remarks())


def _remarks() -> list[str]:
    """What was not seen, or not always, and why."""
    return [*TRAINING.blind, *filter(None, [TRAINING.sampled]), *TRAINING.problems]
