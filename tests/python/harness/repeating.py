"""A session whose process runs one program after the other, so that many tests pay once for starting it."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TextIO

import pytest

from harness.client import DEFAULT_TIMEOUT
from harness.session import DEBUGGEES, Breakpoint, DebugSession, breakpoint_at

START_PATIENCE = 90.0
"""Seconds; importing torch takes its time on a busy machine."""
GOES_ON = {"continue", "next", "stepIn", "stepOut"}


class RepeatingSession(DebugSession):
    """`launch` runs a program within the process that is there already, which waits between two programs.

    In between nothing is set in it: no breakpoint, no box. `modules` are imported before the first program.
    """

    def __init__(self, adapter: str = "tensorpeek", modules: Sequence[str] = ("torch",)) -> None:
        super().__init__(adapter)
        self._modules = modules
        self._programs = 0
        self._pipe: TextIO | None = None
        self._folder = tempfile.TemporaryDirectory()

    def __enter__(self) -> RepeatingSession:
        with ExitStack() as unless_started:
            super().__enter__()
            unless_started.push(self)
            pipe = Path(self._folder.name) / "programs"
            os.mkfifo(pipe)
            # Opened for both, so that this waits for nobody.
            self._pipe = os.fdopen(os.open(pipe, os.O_RDWR), "w", buffering=1)
            # What runs the programs is none of the user's code, which is what ends with a program.
            rules = [{"path": str(DEBUGGEES / "repeating.py"), "include": False}]
            super().launch("repeating.py", args=[str(pipe), *self._modules], rules=rules)
            self.client.next_event("output", START_PATIENCE, lambda body: "(ready)" in body["output"])
            unless_started.pop_all()
        return self

    def __exit__(self, *error: Any) -> None:
        try:
            super().__exit__(*error)
        finally:
            if self._pipe is not None:
                self._pipe.close()
            self._folder.cleanup()

    def launch(  # type: ignore[override] (the process has its attributes already)
        self,
        program: str | Path,
        *,
        args: Sequence[str] = (),
        stops: Sequence[str | Breakpoint] = (),
        breakpoints: Mapping[str, Sequence[Breakpoint]] | None = None,
        exceptions: Sequence[str | dict[str, Any]] = (),
        configuration_done: bool = True,
    ) -> None:
        """As that of a session, but that what was said before is forgotten.

        Without `configuration_done` the program waits for `begin`.
        """
        self.client.forget()
        self._programs += 1
        path = DEBUGGEES / program
        lines = {str(path): [breakpoint_at(stop, path) for stop in stops]} if stops else {}
        self._breakpoints = {**lines, **{file: list(given) for file, given in (breakpoints or {}).items()}}
        for file, given in self._breakpoints.items():
            self.request("setBreakpoints", source={"path": file}, breakpoints=given)
        if exceptions:
            self.set_exceptions(exceptions)
        self._words = [str(path), *args]
        if configuration_done:
            self.begin()

    def begin(self) -> None:
        """Lets the program run that was launched without `configuration_done`."""
        assert self._pipe is not None
        self._pipe.write(json.dumps([self._words, self._end]) + "\n")

    def run_to_end(self, timeout: float = DEFAULT_TIMEOUT) -> int:
        """Continues when paused, and returns what the program exits with."""
        if self.stop is not None:
            self.resume()
        return self._wait_for_end(timeout)

    def output(self, *categories: str) -> str:
        return re.sub(rf"{re.escape(self._end)} .*\n?", "", super().output(*categories))

    def settle(self) -> None:
        """Takes back whatever was set and lets the program run to its end."""
        for file in self._paths_with_breakpoints():
            self.request("setBreakpoints", source={"path": file}, breakpoints=[])
        self.request("setFunctionBreakpoints", breakpoints=[])
        if self.server_capabilities.get("supportsDataBreakpoints"):
            self.request("setDataBreakpoints", breakpoints=[])
        self.set_exceptions([])
        while self._programs and not self.has_ended():
            self.client.wait_until(lambda: self.has_ended() or self._paused_thread() is not None)
            thread = self._paused_thread()
            if thread is not None:
                self.request("continue", threadId=thread)
        self.stop = None
        if self._programs:
            self._wait_for_end()

    @property
    def _end(self) -> str:
        """What is printed when the program has ended, with its exit code behind it."""
        return f"(end of program {self._programs})"

    def _wait_for_end(self, timeout: float = DEFAULT_TIMEOUT) -> int:
        self.client.wait_until(self.has_ended, timeout, "end of the program")
        code = self._exit()
        assert code is not None, "the process has ended, and not only the program"
        return code

    def has_ended(self) -> bool:
        """Whether the program has; where it took the process with it, that has `terminated`."""
        return self._exit() is not None or bool(self.client.events("terminated"))

    def _exit(self) -> int | None:
        found = re.search(rf"{re.escape(self._end)} (\d+)", super().output("stdout"))
        return int(found[1]) if found else None

    def _paused_thread(self) -> int | None:
        for record in reversed(list(self.client.records)):
            if record.sent and record.message.get("command") in GOES_ON:
                return None
            if not record.sent and record.message.get("event") == "stopped":
                return record.message["body"]["threadId"]
        return None

    def _paths_with_breakpoints(self) -> set[str]:
        sent = [r.message for r in list(self.client.records) if r.sent]
        asked = [m["arguments"]["source"]["path"] for m in sent if m.get("command") == "setBreakpoints"]
        return {*asked, *self._breakpoints}


class RepeatingSessions:
    """Owns the repeating sessions of a test file, one of each kind that is asked for."""

    def __init__(self) -> None:
        self._sessions: dict[tuple[str, tuple[str, ...]], RepeatingSession] = {}

    @contextmanager
    def lend(
        self, test: pytest.FixtureRequest, adapter: str = "tensorpeek", modules: tuple[str, ...] = ("torch",)
    ) -> Iterator[RepeatingSession]:
        """For one test. Where that fails, or leaves it in disorder, the next one gets a new session."""
        kind = (adapter, modules)
        failed = test.session.testsfailed
        session = self._sessions.pop(kind, None) or RepeatingSession(adapter, modules).__enter__()
        yield session
        if test.session.testsfailed > failed:
            failure = AssertionError("its test failed")
            session.__exit__(AssertionError, failure, None)  # which prints what may explain it
            return
        with ExitStack() as unless_settled:
            unless_settled.push(session)
            session.settle()
            unless_settled.pop_all()
        self._sessions[kind] = session

    def close(self) -> None:
        with ExitStack() as all_of_them:
            for session in self._sessions.values():
                all_of_them.push(session)
