"""One DAP connection: numbers what it sends and brings each response to whoever asked."""

from __future__ import annotations

import asyncio
import logging
from typing import Any, Callable, Protocol

from tensorpeek.adapter.framing import Decoder, Garbled, Message, encode

log = logging.getLogger(__name__)

READ_SIZE = 64 * 1024
"""Bytes taken per read. asyncio's own 256 KiB are mapped and unmapped by the allocator for every message."""

OnResponse = Callable[[Message], None]


class Receiver(Protocol):
    """What one side of the session does with what its channel brings."""

    def receive(self, message: Message) -> None:
        """A request or an event."""

    def garbled(self, item: Garbled) -> None: ...

    def ended(self) -> None:
        """The connection is gone. Called once."""

    def congested(self, congested: bool) -> None:
        """Whether this side reads more slowly than it is written to."""


class Writer(Protocol):
    """The part of an asyncio transport that a channel needs."""

    def write(self, data: bytes) -> None: ...
    def close(self) -> None: ...
    def is_closing(self) -> bool: ...


class Channel(asyncio.Protocol):
    """Speaks DAP over whatever transport it is connected to.

    It has its own seq counter, so messages of ours can go between those that are passed on; `request_seq` is
    never seen outside, because the callback of a request knows what to do with its response.
    """

    def __init__(self, name: str, receiver: Receiver) -> None:
        self.name = name
        self.is_open = True
        self._receiver = receiver
        self._decoder = Decoder()
        self._writer: Writer | None = None
        self._reader: asyncio.ReadTransport | None = None
        self._seq = 0
        self._awaited: dict[int, OnResponse] = {}
        self._is_traced = log.isEnabledFor(logging.DEBUG)

    # Sending

    def send(self, message: Message) -> int:
        """Gives the message the next seq and sends it. Silent when the connection is gone."""
        self._seq += 1
        message["seq"] = self._seq
        if self._is_traced:
            log.debug("to %s: %s", self.name, _summary(message))
        writer = self._writer
        if writer is not None and not writer.is_closing():
            writer.write(self._encoded(message))
        return self._seq

    def _encoded(self, message: Message) -> bytes:
        """Of what is nested just too deeply to be written, that it failed: nobody waits in vain."""
        try:
            return encode(message)
        except RecursionError as error:
            log.error("%s can't be sent: %s", _summary(message), error)
        reason = "the message is nested too deeply"
        if message["type"] == "response":
            failed = _failure(message["command"], reason)
            return encode({**failed, "request_seq": message["request_seq"], "seq": message["seq"]})
        if message["type"] == "request":
            asyncio.get_running_loop().call_soon(self.fail_request, message["seq"], reason)
        return b""

    def send_request(self, message: Message, on_response: OnResponse) -> None:
        """Sends a request; the callback gets the response, a failed one when the connection ends first."""
        if not self.is_open:
            on_response(_failure(message["command"], f"{self.name} has ended"))
            return
        self._awaited[self.send(message)] = on_response

    def request(self, command: str, arguments: Message) -> asyncio.Future[Message]:
        """Sends a request of our own; the future gets the whole response, failed or not."""
        future: asyncio.Future[Message] = asyncio.get_running_loop().create_future()

        def settle(response: Message) -> None:
            if not future.done():
                future.set_result(response)

        self.send_request({"type": "request", "command": command, "arguments": arguments}, settle)
        return future

    def event(self, name: str, body: Message) -> None:
        self.send({"type": "event", "event": name, "body": body})

    def respond(self, request: Message, body: Message | None = None) -> None:
        """Answers a request that came in through this channel."""
        self._answer(request["seq"], request["command"], {"success": True, "body": body or {}})

    def refuse(self, request: Message, reason: str, *, shown: bool = False) -> None:
        """Answers a request with an error; `shown` asks the client to tell the user."""
        self._answer(request["seq"], request["command"], _error(reason, shown))

    def refuse_number(self, seq: int, command: str, reason: str) -> None:
        """Answers a request of which only the seq could be read."""
        self._answer(seq, command, _error(reason, False))

    def pass_response(self, request_seq: int, response: Message) -> None:
        """Passes on a response from the other side to the request with this seq."""
        response["request_seq"] = request_seq
        self.send(response)

    def _answer(self, request_seq: int, command: str, rest: Message) -> None:
        self.send({"type": "response", "request_seq": request_seq, "command": command, **rest})

    # Receiving

    def data_received(self, data: bytes) -> None:
        for item in self._decoder.feed(data):
            if self._is_traced and not isinstance(item, Garbled):
                log.debug("from %s: %s", self.name, _summary(item))
            if isinstance(item, Garbled):
                self._receiver.garbled(item)
            elif item["type"] != "response":
                self._receiver.receive(item)
            else:
                self._settle(item["request_seq"], item)

    def fail_request(self, seq: int, reason: str) -> None:
        """Settles a request of ours whose response could not be read."""
        self._settle(seq, _failure("", reason))

    def _settle(self, seq: int, response: Message) -> None:
        on_response = self._awaited.pop(seq, None)
        if on_response is None:
            log.warning("%s answers a request that was not asked: %s", self.name, seq)
        else:
            self._hand_over(on_response, response)

    @staticmethod
    def _hand_over(on_response: OnResponse, response: Message) -> None:
        try:
            on_response(response)
        except Exception:
            log.exception("the answer to %s could not be handled", response.get("command"))

    # The transport's side

    @property
    def is_connected(self) -> bool:
        """Whether there has been a connection at all."""
        return self._reader is not None

    def connection_made(self, transport: Any) -> None:
        self._reader = transport
        transport.max_size = READ_SIZE
        if isinstance(transport, asyncio.Transport):
            self._writer = transport

    def write_to(self, writer: Writer) -> None:
        """Sets where to write, when that is not the transport that is read from."""
        self._writer = writer

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.is_open:
            return
        self.is_open = False
        if exc is not None:
            log.info("%s: %s", self.name, exc)
        awaited, self._awaited = self._awaited, {}
        for on_response in awaited.values():
            self._hand_over(on_response, _failure("", f"{self.name} has ended"))
        self._receiver.ended()

    def pause_writing(self) -> None:
        self._receiver.congested(True)

    def resume_writing(self) -> None:
        self._receiver.congested(False)

    def hold_reading(self, hold: bool) -> None:
        """Stops or resumes reading, so that a slow reader on the other side is not flooded."""
        if self._reader is None or not self.is_open:
            return
        if hold:
            self._reader.pause_reading()
        else:
            self._reader.resume_reading()

    def close(self) -> None:
        """Closes the writing end after what is buffered."""
        if self._writer is not None:
            self._writer.close()


def _summary(message: Message) -> str:
    """For the log: what it is, without what the user's program holds."""
    name = message.get("command") or message.get("event")
    answered = f" to {message['request_seq']}" if "request_seq" in message else ""
    failed = "" if message.get("success", True) else f" failed: {message.get('message')}"
    return f"{message['seq']} {message['type']} {name}{answered}{failed}"


def _error(reason: str, shown: bool) -> Message:
    # `showUser` is DAP's word for it; `format` is a template, so braces of the text must not act in it.
    detail = {"id": 1, "format": "{reason}", "variables": {"reason": reason}, "showUser": shown}
    return {"success": False, "message": reason, "body": {"error": detail}}


def _failure(command: str, reason: str) -> Message:
    return {"type": "response", "command": command, **_error(reason, False)}
