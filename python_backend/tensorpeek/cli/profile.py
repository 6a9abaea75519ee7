"""`python -m tensorpeek profile`: a program that trains, measured as it runs."""

from __future__ import annotations

import atexit
import json
from pathlib import Path
from types import FrameType
from typing import Any

from tensorpeek.catalogue.conditions import BY_ID
from tensorpeek.catalogue.settings import parse_settings
from tensorpeek.cli import program
from tensorpeek.cli.console import Console, clean
from tensorpeek.cli.profile_options import ProfileOptions
from tensorpeek.contract.messages import Finding, Profile, ProfileAdvice
from tensorpeek.probe.profiling.profiler import Profiler
from tensorpeek.probe.profiling.window import Window
from tensorpeek.probe.run_output import RUN_OUTPUT
from tensorpeek.probe.training.training import TRAINING
from tensorpeek.profiling.advice.registry import advise
from tensorpeek.profiling.report import summary
from tensorpeek.runs import profile_file


def profile(options: ProfileOptions) -> None:
    """Ends as the program ends."""
    console = Console()
    try:
        target = (program.module if options.is_module else program.script)(options.target)
    except program.NoProgram as missing:
        console.say(f"tensorpeek: {missing}")
        raise SystemExit(missing.exit_code) from None
    session = Session(options, console)
    session.start()
    program.execute(target, options.arguments, lambda error: session.failed())


BUDGET_PERCENT = 0.2
KEEPS = "growing-graph"
"""The condition that names the line that holds more memory with each step."""


class Session:
    """Joins what is measured with those who are told: run folder and terminal."""

    def __init__(self, options: ProfileOptions, console: Console) -> None:
        self._options = options
        self._console = console
        self._folder: Path | None = None
        self._has_complained = False
        self._has_begun = False
        self._kept: list[ProfileAdvice] = []
        """What the training itself was found to hold on to."""
        window = Window(options.warmup, options.active) if options.active else None
        self._profiler = Profiler(
            options.target, options.arguments, window, options.steps, self._write, self._progress
        )

    def start(self) -> None:
        # Registered before the program's own, so that it runs after them.
        atexit.register(self._end)
        RUN_OUTPUT.write_into(str(self._options.runs), [self._options.target, *self._options.arguments])
        try:
            self._folder = RUN_OUTPUT.path()
        except OSError as problem:
            self._complain(problem)
        TRAINING.add_listener(self._found)
        TRAINING.configure({KEEPS: parse_settings(BY_ID[KEEPS], "")}, BUDGET_PERCENT)
        TRAINING.start()
        self._profiler.start()

    def failed(self) -> None:
        """The traceback was printed."""
        self._profiler.end("failed")

    def _end(self) -> None:
        self._profiler.end("ended")

    def _found(self, finding: Finding, frame: FrameType | None, values: dict[str, Any]) -> None:
        self._kept.append(
            {
                "rule": finding["condition"],
                "title": finding["title"],
                "message": finding["message"],
                "path": finding["path"],
                "line": finding["line"],
                "evidence": finding["evidence"],
                "next": finding["next"],
                "gain": 0.0,
                "related": finding["related"],
            }
        )

    def _progress(self, steps: int, is_in_window: bool) -> None:
        if steps == 1 and not self._has_begun:
            self._has_begun = True
            self._console.say("tensorpeek: the first step has ended; measuring")
        elif is_in_window and steps == self._options.warmup:
            self._console.say(f"tensorpeek: recording operations for {self._options.active} steps")

    def _write(self, record: Profile) -> None:
        if record["state"] != "running":
            TRAINING.ended()
        record["advice"] = [*advise(record), *self._kept]
        if self._folder is not None:
            try:
                profile_file.write(self._folder, record)
            except OSError as problem:
                self._complain(problem)
        if record["state"] == "running":
            return
        if self._options.json is not None:
            text = json.dumps(record, ensure_ascii=False, indent=1)
            try:
                self._options.json.write_text(text + "\n", encoding="utf-8", errors="backslashreplace")
            except OSError as problem:
                self._console.say(f"tensorpeek: {self._options.json} can't be written: {problem}")
        self._console.say(clean(summary(record, self._folder)))

    def _complain(self, problem: OSError) -> None:
        if not self._has_complained:
            self._has_complained = True
            self._console.say(f"tensorpeek: The run folder can't be written: {problem}")
