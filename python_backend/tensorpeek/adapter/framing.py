"""Base-protocol framing: bytes to messages and back, with limits, never raising on what is received."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, cast

Message = dict[str, Any]
"""One DAP message. After decoding, `type` and the fields that its type needs are known to be there."""

HEADER_LIMIT = 8 * 1024
"""The longest header in bytes; a longer one is not a header."""

BODY_LIMIT = 64 * 1024 * 1024
"""The longest body in bytes that is taken; a longer one is skipped, and its sender's request refused."""

HEAD_KEPT = 1024
"""How much of a refused body is kept, to find out which request it was."""

_SEPARATOR = b"\r\n\r\n"
_USUAL_HEADER = b"Content-Length: "
_LENGTH = re.compile(rb"(?:^|\r\n)content-length:[ \t]*(\d{1,18})[ \t]*(?=\r\n|$)", re.IGNORECASE)
_NEXT_HEADER = re.compile(rb"content-length:", re.IGNORECASE)


@dataclass(frozen=True)
class Garbled:
    """Something that is no message: why, and its beginning."""

    problem: str
    head: bytes

    def number(self, field: str) -> int | None:
        """The value of `seq` or `request_seq`, where the beginning shows it."""
        found = re.search(rb'"%s"\s*:\s*(\d{1,9})' % field.encode(), self.head)
        return int(found.group(1)) if found else None

    def command(self) -> str:
        found = re.search(rb'"command"\s*:\s*"([^"\\]{1,64})"', self.head)
        return found.group(1).decode("utf-8", "replace") if found else ""


_to_json = json.JSONEncoder(separators=(",", ":")).encode
"""Made once, as `json.dumps` makes an encoder for each call; ASCII, so lone surrogates are safe."""


def encode(message: Message) -> bytes:
    """Header and body in one piece, so that they leave in one write."""
    body = _to_json(message).encode("ascii")
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


class Decoder:
    """Takes bytes as they come and gives whole messages; after garbage it finds the next header."""

    def __init__(self, body_limit: int = BODY_LIMIT) -> None:
        self._buffer = bytearray()
        self._body_limit = body_limit
        self._to_skip = 0
        self._lost = False

    def feed(self, data: bytes) -> list[Message | Garbled]:
        """The messages completed by these bytes, in order, with what could not be read among them."""
        if not (self._buffer or self._to_skip or self._lost):
            body = _whole_body(data)
            if body is not None and len(body) <= self._body_limit:
                return [_message(body)]
        self._buffer += data
        items: list[Message | Garbled] = []
        while True:
            item = self._next()
            if item is None:
                return items
            items.append(item)

    def _next(self) -> Message | Garbled | None:
        buffer = self._buffer
        if self._to_skip:
            skipped = min(self._to_skip, len(buffer))
            del buffer[:skipped]
            self._to_skip -= skipped
            if self._to_skip:
                return None
        if self._lost and not self._find_header():
            return None
        end = buffer.find(_SEPARATOR, 0, HEADER_LIMIT)
        if end < 0:
            return self._lose("the header does not end") if len(buffer) >= HEADER_LIMIT else None
        found = _LENGTH.search(bytes(buffer[:end]))
        if found is None:
            return self._lose("the header has no valid Content-Length")
        start, length = end + len(_SEPARATOR), int(found.group(1))
        if length > self._body_limit:
            return self._refuse_oversized(start, length)
        if len(buffer) < start + length:
            return None
        body = bytes(buffer[start : start + length])
        del buffer[: start + length]
        return _message(body)

    def _refuse_oversized(self, start: int, length: int) -> Garbled | None:
        """Waits until the beginning of the body is there, then skips the rest as it comes."""
        buffer = self._buffer
        if len(buffer) < start + min(length, HEAD_KEPT):
            return None
        head = bytes(buffer[start : start + HEAD_KEPT])
        self._to_skip = start + length
        return Garbled(f"a message of {length} bytes is over the limit of {self._body_limit}", head)

    def _lose(self, problem: str) -> Garbled:
        head = bytes(self._buffer[:HEAD_KEPT])
        del self._buffer[:1]
        self._lost = True
        return Garbled(problem, head)

    def _find_header(self) -> bool:
        found = _NEXT_HEADER.search(self._buffer)
        if found is None:
            del self._buffer[: -len("content-length:")]
            return False
        del self._buffer[: found.start()]
        self._lost = False
        return True


def _whole_body(data: bytes) -> bytes | None:
    """The body, when the data is exactly one message with the usual header, as nearly all of it is."""
    end = data.find(_SEPARATOR, 0, HEADER_LIMIT)
    length = data[len(_USUAL_HEADER) : end]
    if end < 0 or not data.startswith(_USUAL_HEADER) or not length.isdigit():
        return None
    body = data[end + len(_SEPARATOR) :]
    return body if len(length) < 19 and len(body) == int(length) else None


def _message(body: bytes) -> Message | Garbled:
    try:
        content: object = json.loads(body.decode())
    except (ValueError, RecursionError) as error:
        return Garbled(f"the body is not JSON: {error}", body[:HEAD_KEPT])
    if not isinstance(content, dict):
        return Garbled("the body is not an object", body[:HEAD_KEPT])
    message = cast(Message, content)
    problem = _problem(message)
    return message if problem is None else Garbled(problem, body[:HEAD_KEPT])


def _problem(message: Message) -> str | None:
    kind = message.get("type")
    if kind == "request":
        if not isinstance(message.get("command"), str) or not isinstance(message.get("seq"), int):
            return "a request needs a command and a seq"
        if not isinstance(message.get("arguments") or {}, dict):
            return "arguments must be an object"
    elif kind == "response":
        if not isinstance(message.get("request_seq"), int):
            return "a response needs a request_seq"
    elif kind == "event":
        if not isinstance(message.get("event"), str):
            return "an event needs a name"
    else:
        return "the type is none of request, response and event"
    return None
