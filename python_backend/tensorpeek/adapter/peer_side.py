"""debugpy's side: a method `<event>_event` or `<command>_request` for what is not simply passed on."""

from __future__ import annotations

import logging
from functools import partial
from typing import cast

from tensorpeek.adapter.framing import Garbled, Message
from tensorpeek.adapter.processes import LaunchedProcess, process_name
from tensorpeek.adapter.session import Session

log = logging.getLogger(__name__)


class PeerSide:
    """Receives what debugpy's adapter sends."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._is_retired = False

    def retire(self) -> None:
        self._is_retired = True

    # The receiver's part

    def receive(self, message: Message) -> None:
        if self._is_retired:
            return
        if message["type"] == "event":
            handler = getattr(self, f"{message['event']}_event", self._session.client.send)
        else:
            handler = getattr(self, f"{message['command']}_request", self._delegate)
        try:
            handler(message)
        except Exception:
            log.exception("%s could not be handled", message.get("event") or message.get("command"))
            if message["type"] == "event":
                self._session.client.send(message)
            else:
                self._delegate(message)
        if message["type"] == "event":
            try:
                self._session.parts.hear(message)
            except Exception:
                log.exception("a part of ours failed on the event %s", message["event"])

    def _delegate(self, request: Message) -> None:
        """Passes a reverse request on to the client, and its response back."""
        peer = self._session.peer
        assert peer is not None
        self._session.client.send_request(request, partial(peer.channel.pass_response, request["seq"]))

    def garbled(self, item: Garbled) -> None:
        log.error("debugpy sent something that is no message: %s: %r", item.problem, item.head[:200])
        reason = self._session.texts("garbled", problem=item.problem)
        peer, seq = self._session.peer, item.number("request_seq")
        if peer is not None and seq is not None:
            peer.channel.fail_request(seq, reason)
        else:
            self._session.notify("output", {"category": "important", "output": reason + "\n"})

    def ended(self) -> None:
        if not self._is_retired:
            log.info("debugpy is gone")
            self._session.peer_ended()

    def congested(self, congested: bool) -> None:
        self._session.client.hold_reading(congested)

    # Events

    def initialized_event(self, event: Message) -> None:
        session = self._session
        session.client.send(event)
        session.spawn(session.activation.begin(session.values.budgets))

    def process_event(self, event: Message) -> None:
        session = self._session
        body: Message = event.get("body") or {}
        pid = body.get("systemProcessId")
        if session.start is not None and session.start.command == "launch" and isinstance(pid, int):
            session.launched = LaunchedProcess(pid)
        session.client.send(event)

    def stopped_event(self, event: Message) -> None:
        session = self._session
        session.client.send(event)
        session.references.stopped()
        session.activation.look_again()

    def continued_event(self, event: Message) -> None:
        self._session.client.send(event)
        self._session.resumed()

    def terminated_event(self, event: Message) -> None:
        session = self._session
        session.has_terminated = True
        session.client.send(event)
        session.resumed()

    # Reverse requests

    def startDebugging_request(self, request: Message) -> None:
        """A child process: it gets a name and our attributes; debugpy has only its own to hand on."""
        configuration = request["arguments"]["configuration"]
        pid = cast(int, configuration["subProcessId"])
        session = self._session
        parent = session.launched.pid if session.launched else None
        named = {**configuration, "name": process_name(pid, parent)}
        named.update(session.start.own if session.start else {})
        arguments = {**request["arguments"], "configuration": named}
        self._delegate({**request, "arguments": arguments})
