"""Brings the probe into the debuggee and tells the client in which mode the session is, and why."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable
from typing import Callable

from tensorpeek.adapter.framing import Message
from tensorpeek.adapter.probe_link import ProbeFailed, ProbeLink, Request
from tensorpeek.adapter.texts import Texts
from tensorpeek.contract.messages import (
    ConfigureArguments,
    DebugEvent,
    Mode,
    ModeEvent,
    ProcessEvent,
    ProcessInfo,
)

log = logging.getLogger(__name__)

OLDEST_PROBED = (3, 9)
OLDEST_TORCH = (2, 2)

INSTALL_PATIENCE = 15.0
"""Seconds that the program waits for the probe before it runs without."""

QUIET_TIME = 0.25
"""Seconds after a stop until the probe is asked what has become of the process; the client goes first."""

# The probe does this too; a session without it should be no slower.
SEND_WITHOUT_DELAY = (
    "__import__('pydevd').get_global_debugger().writer.sock.setsockopt("
    "__import__('socket').IPPROTO_TCP, __import__('socket').TCP_NODELAY, 1)"
)

Notify = Callable[[DebugEvent, Message], None]
Installed = Callable[[], Awaitable[None]]
"""Tells a probe that has just come in what it should know."""


class Activation:
    """The mode of one session. `notify` sends an event to the client."""

    def __init__(self, probe: ProbeLink, request: Request, notify: Notify, installed: Installed) -> None:
        self._probe = probe
        self._request = request
        self._notify = notify
        self._installed = installed
        self._announced: ModeEvent | None = None
        self._name = ""
        self._is_known = False
        self._stays_plain = False
        self._look: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self.settled = asyncio.Event()
        """Set when it is known whether the probe is in, so that the program may start to run."""
        self.texts = Texts()

    @property
    def mode(self) -> Mode | None:
        """None until it is known."""
        return self._announced["mode"] if self._announced else None

    async def begin(self, budgets: ConfigureArguments) -> None:
        """Installs the probe, between debugpy's `initialized` and the first line of the program."""
        patience = asyncio.get_running_loop().call_later(INSTALL_PATIENCE, self._run_without)
        try:
            self._take(await self._probe.install(budgets))
            # A worker that was just forked does not know its number yet.
            self._is_known = False
            if self.mode == "active":
                await self._installed()
        except ProbeFailed as failure:
            log.warning("the probe is not installed: %s", failure)
            if not self.settled.is_set():
                await self._explain(str(failure))
        finally:
            patience.cancel()
            if self.mode == "plain":
                await self._answer("evaluate", {"expression": SEND_WITHOUT_DELAY, "context": "repl"})
            self.settled.set()

    def _run_without(self) -> None:
        """For now: should the probe start later after all, its values are shown from then on."""
        self._announce_plain("plain_probe", problem=f"no answer within {INSTALL_PATIENCE:.0f} s")
        self.settled.set()

    def run_plain(self, key: str) -> None:
        """Announces plain mode for good, for a reason among the texts."""
        self._stays_plain = True
        self._announce_plain(key)
        self.settled.set()

    def look_again(self) -> None:
        """After a stop: torch may have been imported by now, and a worker may have got its number."""
        self.stop_looking()
        if self.mode == "active" and not self._is_known:
            self._look = asyncio.get_running_loop().call_later(QUIET_TIME, self._start_look)

    def stop_looking(self) -> None:
        if self._look is not None:
            self._look.cancel()
            self._look = None

    def _start_look(self) -> None:
        task = asyncio.ensure_future(self._look_now())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _look_now(self) -> None:
        try:
            self._take(await self._probe.process())
        except ProbeFailed as failure:
            log.info("the process can't be asked: %s", failure)

    def _take(self, process: ProcessInfo) -> None:
        if self._stays_plain:
            return
        if process["problem"]:
            self._run_plain_because(process["python"], process["torch"], process["problem"])
        elif process["torch"]:
            self._is_known = True
            self._announce("active", self.texts("active", python=process["python"], torch=process["torch"]))
        else:
            self._announce("active", self.texts("active_no_torch"))
        if process["name"] != self._name:
            self._name = process["name"]
            event: ProcessEvent = {"name": self._name}
            self._notify("tensorpeek/process", {**event})

    async def _explain(self, problem: str) -> None:
        """Finds out which Python the probe did not start in."""
        information = await self._answer("pydevdSystemInfo", {})
        body: Message = information.get("body") or {}
        python: Message = body.get("python") or {}
        self._run_plain_because(str(python.get("version")), "", problem.strip().rpartition("\n")[2])

    def _run_plain_because(self, python: str, torch: str, problem: str) -> None:
        if is_older(python, OLDEST_PROBED):
            self._announce_plain("plain_old_python", python=".".join(python.split(".")[:2]))
        elif is_older(torch, OLDEST_TORCH):
            self._announce_plain("plain_old_torch", torch=torch)
        else:
            self._announce_plain("plain_probe", problem=problem)

    async def _answer(self, command: str, arguments: Message) -> Message:
        future = self._request(command, arguments)
        await asyncio.wait([future], timeout=2)
        return future.result() if future.done() else {}

    def _announce_plain(self, key: str, **values: object) -> None:
        self._announce("plain", self.texts(key, **values))

    def _announce(self, mode: Mode, reason: str) -> None:
        event: ModeEvent = {"mode": mode, "reason": reason}
        if event != self._announced:
            self._announced = event
            log.info("mode %s: %s", mode, reason)
            self._notify("tensorpeek/mode", {**event})


def is_older(version: str, oldest: tuple[int, int]) -> bool:
    numbers = re.match(r"(\d+)\.(\d+)", version)
    return numbers is not None and (int(numbers[1]), int(numbers[2])) < oldest
