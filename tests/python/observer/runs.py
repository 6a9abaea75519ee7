"""One training script, run bare or under the debugger, and what it left behind."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from harness import DEBUGGEES, ConnectionEnded, DebugSession
from harness.session import BACKEND
from observer.look import BRIEF, THOROUGH, Seen, look

TRAINING = DEBUGGEES / "training"

WITHOUT_NUMPY = {"PYTHONPATH": str(DEBUGGEES / "without_numpy")}

QUIET_PROFILER = {"KINETO_LOG_LEVEL": "9"}
"""torch's profiler writes times and process ids to stderr."""

PYDEVD_RACE = re.compile(r"^[\d.]+s - thread\._ident is None in _get_related_thread!.*\n", re.MULTILINE)
"""pydevd's own complaint, now and then, of a thread of multiprocessing that has not quite started."""

PATIENCE = 120.0
"""Seconds for what imports torch on a busy machine."""


@dataclass(frozen=True)
class Watch:
    """What else is watched for, beside the lines."""

    everything: bool = False
    """Every box of a training-wide condition is ticked."""
    modules: Sequence[str] = ()
    """Patterns of module breakpoints."""
    variables: Sequence[str] = ()
    """Names of the first stop's frame, which stop whenever they are written."""


@dataclass(frozen=True)
class Outcome:
    """Everything that must not depend on who is watching."""

    exit_code: int
    stdout: str
    stderr: str

    def without_profile(self) -> Outcome:
        """Without log messages, and without torch's operators in a profile: conditions measure with some."""
        facts = json.loads(self.stdout.splitlines()[-1])
        facts["log"] = {name: count for name, count in facts["log"].items() if not name.startswith("aten::")}
        return Outcome(self.exit_code, json.dumps(facts), self.stderr)


def run_bare(script: str, environment: Mapping[str, str] | None = None) -> Outcome:
    """Once for all who ask: nobody who watches changes what it is without them."""
    return _run_bare(script, tuple(sorted((environment or {}).items())))


@cache
def _run_bare(script: str, environment: tuple[tuple[str, str], ...]) -> Outcome:
    done = subprocess.run(
        [sys.executable, script],
        cwd=TRAINING,
        env={**os.environ, **QUIET_PROFILER, **dict(environment)},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


def run_with_trace(script: str, runs: Path) -> Outcome:
    """Under `tensorpeek run`, which watches for nothing and traces the shapes of the first step."""
    done = subprocess.run(
        [sys.executable, "-m", "tensorpeek", "run", "--break", "none", "--runs", str(runs), script],
        cwd=TRAINING,
        env={**os.environ, **QUIET_PROFILER, "PYTHONPATH": str(BACKEND)},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


def run_watched(
    script: str,
    stops: Sequence[str | dict[str, Any]],
    environment: Mapping[str, str] | None = None,
    children: int = 0,
    settings: Mapping[str, float] | None = None,
    watch: Watch | None = None,
) -> tuple[Outcome, list[Seen]]:
    """Stops at every hit of every marker, in this many child processes too, and looks at everything."""
    watch = watch or Watch()
    with DebugSession() as session:
        session.initialize()
        boxes = [box["filter"] for box in session.server_capabilities["exceptionBreakpointFilters"]]
        session.launch(
            f"training/{script}",
            stops=stops,
            exceptions=[box for box in boxes if box.startswith("tp.")] if watch.everything else [],
            configuration_done=False,
            subProcess=children > 0,
            tensorpeek=dict(settings or {}),
            env={**QUIET_PROFILER, **(environment or {})},
        )
        names = [{"name": f"module:{pattern}"} for pattern in watch.modules]
        session.request("setFunctionBreakpoints", breakpoints=names)
        session.request("configurationDone")
        nursery = _Nursery(session, children)
        seen = _watch(session, watch.variables) + nursery.seen()
        exit_code = session.run_to_end(PATIENCE)
        return Outcome(exit_code, session.output("stdout"), _stderr(session)), seen


def _stderr(session: DebugSession) -> str:
    return PYDEVD_RACE.sub("", session.output("stderr"))


def _break_on_change(session: DebugSession, names: Sequence[str]) -> None:
    breakpoints: list[dict[str, Any]] = []
    for name in names:
        reference = session.scope()
        information = session.request("dataBreakpointInfo", name=name, variablesReference=reference)
        assert information["dataId"], information
        breakpoints.append({"dataId": information["dataId"], "accessType": "write"})
    answers = session.request("setDataBreakpoints", breakpoints=breakpoints)["breakpoints"]
    assert all(answer["verified"] for answer in answers)


def _watch(session: DebugSession, variables: Sequence[str] = ()) -> list[Seen]:
    """Looks at everything at every stop until the program ends, most thoroughly at the first of each line."""
    seen: list[Seen] = []
    lines: set[int] = set()
    while _stops_again(session, len(seen)):
        stop = session.wait_for_stop()
        if variables and not seen:
            _break_on_change(session, variables)
        seen.append(look(session, BRIEF if stop.line in lines else THOROUGH))
        lines.add(stop.line)
        session.resume()
    return seen


def _stops_again(session: DebugSession, stops: int) -> bool:
    client = session.client
    try:
        client.wait_until(
            lambda: len(client.events("stopped")) > stops or bool(client.events("terminated")),
            PATIENCE,
            "a stop or the end",
        )
    except ConnectionEnded:
        return False
    return len(client.events("stopped")) > stops


class _Nursery:
    """Watches child processes, each on a thread of its own, since they stop while their parent runs."""

    def __init__(self, parent: DebugSession, children: int) -> None:
        self._parent = parent
        self._children = children
        self._seen: list[Seen] = []
        self._failures: list[Exception] = []
        self._acceptor = threading.Thread(target=self._accept, daemon=True)
        self._acceptor.start()

    def _accept(self) -> None:
        watchers: list[threading.Thread] = []
        try:
            for _ in range(self._children):
                child = self._parent.next_child(PATIENCE)
                watchers.append(threading.Thread(target=self._watch, args=(child,), daemon=True))
                watchers[-1].start()
        except Exception as error:  # noqa: BLE001  raised again by `seen`
            self._failures.append(error)
        for watcher in watchers:
            watcher.join()

    def _watch(self, child: DebugSession) -> None:
        try:
            self._seen += _watch(child)
        except Exception as error:  # noqa: BLE001  as above
            self._failures.append(error)

    def seen(self) -> list[Seen]:
        """Waits for all children to end; raises what went wrong with one of them."""
        self._acceptor.join(PATIENCE)
        if self._failures:
            raise self._failures[0]
        return self._seen
