"""One debug session with all its processes, started through our adapter or through plain debugpy."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, cast

from harness.client import DEFAULT_TIMEOUT, ConnectionEnded, DapClient, Message
from harness.processes import MARK, cmdline, is_alive, kill, marked_processes, wait_until

REPOSITORY = Path(__file__).resolve().parents[3]
BACKEND = REPOSITORY / "python_backend"
ADAPTER = BACKEND / "tensorpeek" / "adapter" / "__main__.py"
DEBUGGEES = REPOSITORY / "tests" / "debuggee"

CLIENT_CAPABILITIES: Message = {
    "clientID": "vscode",
    "adapterID": "tensorpeek",
    "locale": "en",
    "linesStartAt1": True,
    "columnsStartAt1": True,
    "pathFormat": "path",
    "supportsVariableType": True,
    "supportsVariablePaging": True,
    "supportsRunInTerminalRequest": True,
    "supportsStartDebuggingRequest": True,
    "supportsProgressReporting": True,
    "supportsANSIStyling": False,
}

Breakpoint = dict[str, Any]


def line_of(marker: str, path: Path) -> int:
    """The 1-based line that carries the comment `# @bp:marker`."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.rstrip().endswith(f"# @bp:{marker}"):
            return number
    raise LookupError(f"no '# @bp:{marker}' in {path}")


@dataclass
class Stop:
    """A pause: the event's body and the frames of its thread."""

    event: Message
    frames: list[Message] = field(repr=False)

    @property
    def thread(self) -> int:
        return self.event["threadId"]

    @property
    def frame(self) -> int:
        """The id of the topmost frame."""
        return self.frames[0]["id"]

    @property
    def line(self) -> int:
        return self.frames[0]["line"]


class DebugSession:
    """A context manager; at exit every process is ended and none may be left behind.

    `adapter` is "tensorpeek" or "debugpy" (plain). `python` runs the adapter. `capabilities` are merged into
    the arguments of initialize. `mark` makes the session part of another, which finds leftovers; `address`
    is that of an adapter that listens already; its process belongs to the caller.
    """

    def __init__(
        self,
        adapter: str = "tensorpeek",
        *,
        python: str = sys.executable,
        adapter_arguments: Sequence[str] = (),
        capabilities: Mapping[str, Any] | None = None,
        environment: Mapping[str, str] | None = None,
        mark: str | None = None,
        address: tuple[str, int] | None = None,
    ) -> None:
        self.adapter = adapter
        self.python = python
        self.capabilities: Message = {**CLIENT_CAPABILITIES, **(capabilities or {})}
        self.server_capabilities: Message = {}
        self._owns_mark = mark is None
        self.mark = mark or uuid.uuid4().hex
        self.environment = {**os.environ, **(environment or {}), MARK: self.mark}
        self._arguments = list(adapter_arguments)
        self._address = address
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed at exit)
        self._children: list[DebugSession] = []
        self._child_requests: list[Message] = []
        self._spawned: list[subprocess.Popen[bytes]] = []
        self._breakpoints: dict[str, list[Breakpoint]] = {}
        self._exceptions: list[str | Message] = []
        self.stop: Stop | None = None
        self.configuration: Message = {}
        """Of a child: what its parent asked to be started."""

    # Life

    def __enter__(self) -> DebugSession:
        reader, writer = self._open_process() if self._address is None else self._open_socket(self._address)
        self.client = DapClient(reader, writer)
        self.client.reverse_handlers["startDebugging"] = self._start_debugging
        self.client.reverse_handlers["runInTerminal"] = self._run_in_terminal
        self.request = self.client.request
        return self

    def _open_process(self) -> tuple[BinaryIO, BinaryIO]:
        command = [str(ADAPTER)] if self.adapter == "tensorpeek" else ["-m", "debugpy.adapter"]
        self.process = subprocess.Popen(
            [self.python, *command, *self._arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=self.environment,
        )
        assert self.process.stdout is not None
        assert self.process.stdin is not None
        return cast(BinaryIO, self.process.stdout), cast(BinaryIO, self.process.stdin)

    def _open_socket(self, address: tuple[str, int]) -> tuple[BinaryIO, BinaryIO]:
        connection = socket.create_connection(address)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with connection:  # the two files keep it open
            return connection.makefile("rb"), cast(BinaryIO, connection.makefile("wb"))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for child in self._children:
            child.__exit__(kind, error, trace)
        try:
            self.disconnect(terminate=True)
        except (ConnectionEnded, TimeoutError, OSError):
            pass
        self.client.close()
        for process in self._spawned:
            _end(process, patience=0)
            for stream in filter(None, (process.stdin, process.stdout, process.stderr)):
                stream.close()
        left = self._leftovers() if self._owns_mark else ""
        if self._address is None:
            _end(self.process, patience=5)
        self.client.close_reader()
        errors = self.adapter_errors()
        self._errors.close()
        if error is not None:
            print(f"adapter's stderr: {errors}\nprogram's output: {self.output()}")  # noqa: T201 (pytest shows it)
        elif left:
            raise AssertionError(f"processes left behind:\n{left}\nadapter's stderr: {errors}")

    def _leftovers(self) -> str:
        try:
            wait_until(lambda: not marked_processes(self.mark), 10)
        except TimeoutError:
            pids = marked_processes(self.mark)
            names = "\n".join(f"{pid} {cmdline(pid)}" for pid in pids)
            for pid in pids:
                kill(pid)
            return names
        return ""

    def adapter_errors(self) -> str:
        """What the adapter wrote to stderr so far."""
        self._errors.seek(0)
        return self._errors.read().decode(errors="replace")

    def disconnect(self, terminate: bool | None = None) -> None:
        if not self.client.ended:
            arguments = {} if terminate is None else {"terminateDebuggee": terminate}
            self.client.ask("disconnect", arguments, timeout=10)

    def spawn(self, *command: str, **options: Any) -> subprocess.Popen[bytes]:
        """A process of the test's own, for attach; ended at the session's exit."""
        options.setdefault("env", self.environment)
        process = subprocess.Popen(command, **options)
        self._spawned.append(process)
        return process

    # Starting

    def initialize(self) -> Message:
        self.server_capabilities = self.client.request("initialize", **self.capabilities)
        return self.server_capabilities

    def launch(
        self,
        program: str | Path | None = None,
        *,
        stops: Sequence[str | Breakpoint] = (),
        breakpoints: Mapping[str, Sequence[Breakpoint]] | None = None,
        exceptions: Sequence[str | Message] = (),
        configuration_done: bool = True,
        **attributes: Any,
    ) -> None:
        """Initialize, launch, breakpoints, configurationDone; returns once launch is answered.

        `program` is a name in tests/debuggee or a path. `stops` are markers in it (or breakpoints with a
        "marker" key beside `condition` and the like); `breakpoints` are by path.
        """
        given: Message = {"type": self.adapter, "request": "launch", "console": "internalConsole"}
        given |= {"python": [sys.executable], "redirectOutput": True, "justMyCode": True}
        if program is not None:
            path = DEBUGGEES / program
            given |= {"program": str(path), "cwd": str(path.parent)}
            if stops:
                self._breakpoints[str(path)] = [breakpoint_at(stop, path) for stop in stops]
        self._start("launch", {**given, **attributes}, breakpoints, exceptions, configuration_done)

    def attach(
        self,
        *,
        stops: Sequence[str | Breakpoint] = (),
        source: str | Path | None = None,
        breakpoints: Mapping[str, Sequence[Breakpoint]] | None = None,
        exceptions: Sequence[str | Message] = (),
        configuration_done: bool = True,
        **attributes: Any,
    ) -> None:
        """As `launch`; `source` is the file that the markers `stops` are in."""
        if source is not None:
            path = DEBUGGEES / source
            self._breakpoints[str(path)] = [breakpoint_at(stop, path) for stop in stops]
        given = {"type": self.adapter, "request": "attach", "justMyCode": True, **attributes}
        self._start("attach", given, breakpoints, exceptions, configuration_done)

    def _start(
        self,
        command: str,
        attributes: Message,
        breakpoints: Mapping[str, Sequence[Breakpoint]] | None,
        exceptions: Sequence[str | Message],
        configuration_done: bool,
    ) -> None:
        if not self.server_capabilities:
            self.initialize()
        self._breakpoints.update({path: list(lines) for path, lines in (breakpoints or {}).items()})
        seq = self.client.send(command, attributes)

        def can_go_on() -> bool:
            return self.client.has_response(seq) or bool(self.client.events("initialized"))

        self.client.wait_until(can_go_on, 60, "initialized")
        if self.client.has_response(seq):
            self.client.body_of(self.client.wait(seq))
            if not self.client.events("initialized"):
                return  # without debugging there is nothing to configure
        for path, lines in self._breakpoints.items():
            self.request("setBreakpoints", source={"path": path}, breakpoints=lines)
        self.set_exceptions(exceptions)
        if configuration_done:
            self.request("configurationDone")
            self.client.body_of(self.client.wait(seq, 60))

    def set_exceptions(self, exceptions: Sequence[str | Message]) -> list[Message]:
        """Ticks boxes, by id or as a filter option, and returns what is answered for each; children too."""
        self._exceptions = list(exceptions)
        filters = [each for each in exceptions if isinstance(each, str)]
        options = [each for each in exceptions if not isinstance(each, str)]
        more = {"filterOptions": options} if options else {}
        return self.request("setExceptionBreakpoints", filters=filters, **more).get("breakpoints") or []

    # Reverse requests

    def _start_debugging(self, arguments: Message) -> None:
        self._child_requests.append(arguments)

    def _run_in_terminal(self, arguments: Message) -> Message:
        environment = {**self.environment, **{k: v for k, v in (arguments.get("env") or {}).items() if v}}
        process = self.spawn(
            *arguments["args"],
            cwd=arguments.get("cwd") or None,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        return {"processId": process.pid}

    def next_child(self, timeout: float = DEFAULT_TIMEOUT) -> DebugSession:
        """Waits for the next `startDebugging`, and starts that child through an adapter of its own.

        The child gets the same breakpoints and boxes; its configuration is in `configuration`.
        """
        index = len(self._children)
        self.client.wait_until(lambda: len(self._child_requests) > index, timeout, "startDebugging")
        configuration = self._child_requests[index]["configuration"]
        address = f"{configuration['connect']['host']}:{configuration['connect']['port']}"
        child = DebugSession(
            python=self.python,
            adapter_arguments=["--connect", address],
            capabilities=self.capabilities,
            environment=self.environment,
            mark=self.mark,
        )
        child.configuration = configuration
        child._breakpoints = dict(self._breakpoints)
        self._children.append(child.__enter__())
        given = {k: v for k, v in configuration.items() if k not in ("type", "request")}
        child.attach(exceptions=self._exceptions, **given)
        return child

    # While paused

    def wait_for_stop(self, timeout: float = DEFAULT_TIMEOUT) -> Stop:
        """Waits for the next `stopped` event and reads its stack."""
        event = self.client.next_event("stopped", timeout)
        frames = self.request("stackTrace", threadId=event["threadId"])["stackFrames"]
        self.stop = Stop(event, frames)
        return self.stop

    def scope(self, name: str = "Locals", frame: int | None = None) -> int:
        """The variablesReference of a scope of a frame, by default the topmost."""
        scopes = self.request("scopes", frameId=frame or self._stop.frame)["scopes"]
        return next(s["variablesReference"] for s in scopes if s["name"] == name)

    def locals(self, frame: int | None = None) -> dict[str, Message]:
        """The variables of the frame by name."""
        return self.expand(self.scope(frame=frame))

    def expand(self, variable: Message | int, timeout: float = DEFAULT_TIMEOUT) -> dict[str, Message]:
        """The children of a variable, or of a reference, by name."""
        reference = variable if isinstance(variable, int) else variable["variablesReference"]
        body = self.request("variables", timeout, variablesReference=reference)
        return {v["name"]: v for v in body["variables"]}

    def evaluate(self, expression: str, context: str = "watch", frame: int | None = None) -> Message:
        frame = frame or self._stop.frame
        return self.request("evaluate", expression=expression, frameId=frame, context=context)

    @property
    def _stop(self) -> Stop:
        assert self.stop is not None, "not paused"
        return self.stop

    # Going on

    def next(self) -> Stop:
        return self._step("next")

    def step_in(self) -> Stop:
        return self._step("stepIn")

    def step_out(self) -> Stop:
        return self._step("stepOut")

    def _step(self, command: str) -> Stop:
        self.request(command, threadId=self._stop.thread)
        return self.wait_for_stop()

    def resume(self) -> None:
        self.request("continue", threadId=self._stop.thread)
        self.stop = None

    def run_to_end(self, timeout: float = DEFAULT_TIMEOUT) -> int:
        """Continues when paused, and returns the exit code of the program."""
        if self.stop is not None:
            self.resume()
        self.client.next_event("terminated", timeout)
        exits = self.client.events("exited")
        return exits[0]["exitCode"] if exits else 0

    def output(self, *categories: str) -> str:
        """What the program printed, or the output of these categories only."""
        return "".join(
            e["output"]
            for e in self.client.events("output")
            if (
                e.get("category", "console") in categories if categories else e.get("category") != "telemetry"
            )
        )

    def process_id(self) -> int:
        """The pid of the program, from the `process` event."""
        return self.client.events("process")[0]["systemProcessId"]

    def processes(self) -> dict[str, int]:
        """Pids of this session by role: adapter, debugpy, launcher, debuggee; those that are alive."""
        roles = {"adapter": self.process.pid}
        events = self.client.events("process")
        if events:
            roles["debuggee"] = events[0]["systemProcessId"]
        for pid in marked_processes(self.mark):
            words = cmdline(pid)
            if pid in roles.values():
                continue
            if "debugpy/launcher" in words:
                roles["launcher"] = pid
            elif "debugpy/adapter" in words or "debugpy.adapter" in words:
                roles["debugpy"] = pid
        return {role: pid for role, pid in roles.items() if is_alive(pid)}


def _end(process: subprocess.Popen[bytes], patience: float) -> None:
    """Waits so many seconds for a process to end by itself."""
    try:
        process.wait(patience)
    except subprocess.TimeoutExpired:
        kill(process.pid)
        process.wait()


def breakpoint_at(stop: str | Breakpoint, path: Path) -> Breakpoint:
    """Of a marker, or of a breakpoint with one."""
    if isinstance(stop, str):
        return {"line": line_of(stop, path)}
    return {"line": line_of(stop["marker"], path), **{k: v for k, v in stop.items() if k != "marker"}}
