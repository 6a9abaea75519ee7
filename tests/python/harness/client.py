"""A threaded DAP client that waits for conditions, never for time."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, BinaryIO

Message = dict[str, Any]
Where = Callable[[Message], bool]

DEFAULT_TIMEOUT = 30.0


class ConnectionEnded(Exception):
    """The other side closed the connection while an answer or event was awaited."""


class RequestFailed(Exception):
    """The answer came with `success: false`; `response` is the whole of it."""

    def __init__(self, response: Message) -> None:
        super().__init__(f"{response['command']}: {response.get('message')}")
        self.response = response


@dataclass(frozen=True)
class Record:
    """One message as it crossed the wire; `at` is `time.perf_counter()` seconds, `sent` is by us."""

    at: float
    sent: bool
    message: Message


class DapClient:
    """Speaks DAP over a pair of binary streams. `records` holds everything that was said, in order."""

    def __init__(self, reader: BinaryIO, writer: BinaryIO) -> None:
        self._reader = reader
        self._writer = writer
        self._write_lock = threading.Lock()
        self._changed = threading.Condition()
        self._next_seq = 0
        self._responses: dict[int, Message] = {}
        self._taken_events: set[int] = set()
        self.records: list[Record] = []
        self.ended = False
        self.reverse_handlers: dict[str, Callable[[Message], Message | None]] = {}
        """By command: takes the arguments of a reverse request, returns the body; on the reading thread."""
        self._thread = threading.Thread(target=self._read, name="dap-client", daemon=True)
        self._thread.start()

    # Sending

    def send(self, command: str, arguments: Message | None = None) -> int:
        """Sends a request and returns its seq, to be passed to `wait`."""
        message: Message = {"type": "request", "command": command}
        if arguments is not None:
            message["arguments"] = arguments
        return self._send(message)

    def send_bytes(self, data: bytes) -> None:
        """Sends anything at all, for tests of bad input."""
        with self._write_lock:
            self._writer.write(data)
            self._writer.flush()

    def _send(self, message: Message) -> int:
        with self._write_lock:
            self._next_seq += 1
            message["seq"] = self._next_seq
            body = json.dumps(message).encode()
            self.records.append(Record(time.perf_counter(), True, message))
            self._writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
            self._writer.flush()
            return self._next_seq

    # Waiting

    def wait(self, seq: int, timeout: float = DEFAULT_TIMEOUT) -> Message:
        """The response to the request with this seq, failed or not."""
        self._wait_for(lambda: seq in self._responses, timeout, f"the response to request {seq}")
        return self._responses[seq]

    def has_response(self, seq: int) -> bool:
        return seq in self._responses

    def ask(
        self, command: str, arguments: Message | None = None, timeout: float = DEFAULT_TIMEOUT
    ) -> Message:
        """Sends a request and returns the whole response, failed or not."""
        return self.wait(self.send(command, arguments), timeout)

    def request(self, command: str, timeout: float = DEFAULT_TIMEOUT, **arguments: Any) -> Message:
        """Sends a request and returns the body of its response; raises `RequestFailed`."""
        return self.body_of(self.ask(command, arguments, timeout))

    def timed(
        self, command: str, timeout: float = DEFAULT_TIMEOUT, **arguments: Any
    ) -> tuple[float, Message]:
        """Seconds between sending and the arrival of the answer, and the answer."""
        seq = self.send(command, arguments)
        response = self.wait(seq, timeout)
        return self.arrival(response) - self.departure(seq), response

    def arrival(self, message: Message) -> float:
        return next(r.at for r in reversed(self.records) if r.message is message)

    def departure(self, seq: int) -> float:
        return next(r.at for r in reversed(self.records) if r.sent and r.message["seq"] == seq)

    @staticmethod
    def body_of(response: Message) -> Message:
        if not response["success"]:
            raise RequestFailed(response)
        return response.get("body") or {}

    def next_event(self, name: str, timeout: float = DEFAULT_TIMEOUT, where: Where | None = None) -> Message:
        """The body of the first event of this name that no call has taken yet."""
        found: list[int] = []

        def look() -> bool:
            for index, record in enumerate(self.records):
                message = record.message
                if index in self._taken_events or record.sent or message.get("event") != name:
                    continue
                if where is None or where(message.get("body") or {}):
                    found.append(index)
                    return True
            return False

        self._wait_for(look, timeout, f"event {name}")
        self._taken_events.add(found[0])
        return self.records[found[0]].message.get("body") or {}

    def events(self, name: str) -> list[Message]:
        """The bodies of all events of this name so far."""
        return [
            r.message.get("body") or {}
            for r in list(self.records)
            if not r.sent and r.message.get("event") == name
        ]

    def reverse_requests(self) -> list[str]:
        """The commands of the requests that the adapter sent, in order."""
        received = [record.message for record in self.records if not record.sent]
        return [message["command"] for message in received if message["type"] == "request"]

    def wait_until(
        self, condition: Callable[[], bool], timeout: float = DEFAULT_TIMEOUT, what: str = ""
    ) -> None:
        """Waits until a condition on what was received holds; looked at after each message."""
        self._wait_for(condition, timeout, what or "a condition")

    def wait_until_ended(self, timeout: float = DEFAULT_TIMEOUT) -> None:
        with self._changed:
            if not self._changed.wait_for(lambda: self.ended, timeout):
                raise TimeoutError("the connection is still open")

    def _wait_for(self, condition: Callable[[], bool], timeout: float, what: str) -> None:
        with self._changed:
            self._changed.wait_for(lambda: condition() or self.ended, timeout)
            if condition():
                return
            if self.ended:
                raise ConnectionEnded(f"waiting for {what}")
            raise TimeoutError(f"no {what} within {timeout} s")

    # Receiving

    def _read(self) -> None:
        try:
            while (message := self._read_message()) is not None:
                self._take(message)
        except (OSError, ValueError):
            pass
        finally:
            with self._changed:
                self.ended = True
                self._changed.notify_all()

    def _read_message(self) -> Message | None:
        length = 0
        while (line := self._reader.readline()) != b"\r\n":
            if not line:
                return None
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        body = self._reader.read(length)
        return json.loads(body) if len(body) == length else None

    def _take(self, message: Message) -> None:
        with self._changed:
            self.records.append(Record(time.perf_counter(), False, message))
            if message["type"] == "response":
                self._responses[message["request_seq"]] = message
            self._changed.notify_all()
        if message["type"] == "request":
            self._answer(message)

    def _answer(self, request: Message) -> None:
        handler = self.reverse_handlers.get(request["command"])
        response: Message = {
            "type": "response",
            "request_seq": request["seq"],
            "command": request["command"],
            "success": handler is not None,
        }
        if handler is None:
            response["message"] = "not supported by this client"
        else:
            response["body"] = handler(request.get("arguments") or {}) or {}
        self._send(response)

    def forget(self) -> None:
        """Whatever was said so far is neither found nor awaited any more."""
        with self._changed:
            self.records.clear()
            self._taken_events.clear()

    def close(self) -> None:
        """Closes our writing end; the reader ends with the other side."""
        with self._write_lock:
            try:
                self._writer.close()
            except OSError:
                pass

    def close_reader(self) -> None:
        """Once the other side is gone."""
        self._thread.join(5)
        self._reader.close()
