"""The client's side: a method `<command>_request` for each request about the session itself.

Those about what the program does and holds are answered by the session's parts; the rest is passed on.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Awaitable
from typing import Any, Callable

from tensorpeek.adapter.access import Access
from tensorpeek.adapter.arguments import problem_with
from tensorpeek.adapter.channel import Channel
from tensorpeek.adapter.framing import Garbled, Message
from tensorpeek.adapter.launch_attributes import LaunchProblem, StartAttributes, prepare_launch
from tensorpeek.adapter.part_list import PARTS
from tensorpeek.adapter.parts import all_of, spelled
from tensorpeek.adapter.peer_choice import PeerChoice
from tensorpeek.adapter.probe_link import ProbeFailed
from tensorpeek.adapter.session import Session

log = logging.getLogger(__name__)

DEBUGPY_KNOWS = frozenset(
    {
        *("initialize", "launch", "attach", "configurationDone", "disconnect", "terminate"),
        *("setBreakpoints", "setFunctionBreakpoints", "setExceptionBreakpoints", "exceptionInfo"),
        *("threads", "stackTrace", "scopes", "variables", "evaluate", "setVariable", "setExpression"),
        *("continue", "next", "stepIn", "stepInTargets", "stepOut", "pause", "goto", "gotoTargets"),
        *("completions", "modules", "source", "setDebuggerProperty", "setPydevdSourceMap"),
        *("pydevdSystemInfo", "debugpySystemInfo"),
    }
)
"""Everything else is refused here, because debugpy never answers what it does not know, and then hangs."""

STARTS = ("launch", "attach")
"""Their arguments are the user's, and looked at by what reads them."""

DISCONNECT_PATIENCE = 10.0
"""Seconds that debugpy gets to answer `disconnect` before it is ended by force."""


class ClientSide:
    """Receives what the client sends."""

    def __init__(self, session: Session, choice: PeerChoice, access: Access) -> None:
        self._session = session
        self._choice = choice
        self._access = access

    # The receiver's part

    def receive(self, message: Message) -> None:
        if message["type"] == "event":  # DAP has none from clients
            return
        command: str = message["command"]
        if not self._access.permits(command):
            self._session.client.refuse(message, self._session.texts("no_access"))
            return
        arguments: Message = message.get("arguments") or {}
        message["arguments"] = arguments
        problem = None if command in STARTS else problem_with(command, arguments)
        if problem is not None:
            self._session.client.refuse(message, self._session.texts("garbled", problem=problem))
            return
        try:
            first = self._session.parts.before(message)
        except Exception:  # the request must go its way whatever happens
            log.exception("a part of ours failed before %s", command)
            first = []
        if first:
            self._session.spawn(self._go_on_after(first, message))
        else:
            self._handle(message)

    async def _go_on_after(self, first: list[Awaitable[None]], request: Message) -> None:
        await all_of(first, request["command"])
        self._handle(request)

    def _handle(self, request: Message) -> None:
        command: str = request["command"]
        handler = getattr(self, f"{spelled(command)}_request", None) or self._session.parts.handler(command)
        if handler is not None:
            self._run(handler, request)
        elif command in DEBUGPY_KNOWS:
            self._session.delegate(request)
        else:
            self._session.client.refuse(request, self._session.texts("unsupported", command=command))

    def _run(self, handler: Callable[[Message], Any], request: Message) -> None:
        try:
            work = handler(request)
        except Exception as error:  # noqa: BLE001 (the request must be answered whatever happens)
            self._refuse_failed(request, error)
        else:
            if inspect.iscoroutine(work):
                self._session.spawn(self._await(work, request))

    async def _await(self, work: Any, request: Message) -> None:
        try:
            await work
        except Exception as error:  # noqa: BLE001 (the request must be answered whatever happens)
            self._refuse_failed(request, error)

    def _refuse_failed(self, request: Message, error: Exception) -> None:
        if isinstance(error, LaunchProblem):
            self._session.start = None
            self._session.client.refuse(request, str(error), shown=True)
        elif isinstance(error, ProbeFailed):
            log.warning("%s: %s", request["command"], error)
            self._session.client.refuse(request, str(error))
        else:
            log.error("%s failed", request["command"], exc_info=error)
            self._session.client.refuse(request, f"{type(error).__name__}: {error}")

    def garbled(self, item: Garbled) -> None:
        log.error("the client sent something that is no message: %s: %r", item.problem, item.head[:200])
        reason = self._session.texts("garbled", problem=item.problem)
        seq = item.number("seq")
        if seq is not None:
            self._session.client.refuse_number(seq, item.command(), reason)
        else:
            self._session.notify("output", {"category": "important", "output": reason + "\n"})

    def ended(self) -> None:
        log.info("the client is gone")
        self._session.end()

    def congested(self, congested: bool) -> None:
        if self._session.peer is not None:
            self._session.peer.channel.hold_reading(congested)

    # The start

    def initialize_request(self, request: Message) -> None:
        session = self._session
        features = session.client_features = dict(request["arguments"])
        session.speak(str(features.get("locale") or ""))
        session.values.colours = bool(features.get("supportsANSIStyling"))
        if session.peer is None:  # which one it is the launch will say, and then what it can do
            session.client.respond(request, session.capabilities({}))
        else:
            session.delegate(request, session.capabilities)

    async def launch_request(self, request: Message) -> None:
        start = await self._start(request)
        prepared = await prepare_launch(start.passed_on, self._session.texts)
        if prepared.get("noDebug"):
            self._session.activation.run_plain("plain_no_debug")
        self._session.delegate({**request, "arguments": prepared})

    async def attach_request(self, request: Message) -> None:
        start = await self._start(request)
        self._session.delegate({**request, "arguments": start.passed_on})

    async def _start(self, request: Message) -> StartAttributes:
        session = self._session
        start = StartAttributes.of(request["command"], request["arguments"])
        if not self._access.present(start.access_token):
            session.end()  # the answer goes first
            raise LaunchProblem(session.texts("no_access"))
        session.start = start
        session.values.budgets = start.budgets
        await self._choice.follow(start)
        return start

    async def configurationDone_request(self, request: Message) -> None:
        if self._session.start is not None:  # without it debugpy refuses, and there is nothing to wait for
            await self._session.activation.settled.wait()
        self._session.delegate(request)

    # Whatever is asked at any time

    def cancel_request(self, request: Message) -> None:
        """Cancels a refinement; whatever else is asked is over before a cancel could help."""
        arguments, refinements = request["arguments"], self._session.refinements
        if isinstance(arguments.get("requestId"), int):
            refinements.cancel_request(arguments["requestId"])
        if isinstance(arguments.get("progressId"), str):
            refinements.cancel_progress(arguments["progressId"])
        self._session.client.respond(request)

    # Going on: first of all the program runs on, then what was at work for its pause ends

    def continue_request(self, request: Message) -> None:
        self._session.delegate(request)
        self._session.resumed()

    next_request = stepIn_request = stepOut_request = goto_request = continue_request

    # The end

    def terminate_request(self, request: Message) -> None:
        self._session.resumed()
        if self._session.has_terminated:
            self._session.client.respond(request)
        else:
            self._session.delegate(request)

    async def disconnect_request(self, request: Message) -> None:
        """Answered in any case, and then everything ends."""
        session = self._session
        session.resumed()
        if self._access.is_open:
            answer = session.ask_peer("disconnect", request["arguments"])
            await asyncio.wait([answer], timeout=DISCONNECT_PATIENCE)
        session.client.respond(request)
        session.end()


def client_channel(session: Session, choice: PeerChoice, access: Access, kind: type[Channel]) -> Channel:
    """The channel that the client speaks through, joined to the session."""
    session.parts.add(make(session) for make in PARTS)
    channel = session.client = kind("the client", ClientSide(session, choice, access))
    return channel
