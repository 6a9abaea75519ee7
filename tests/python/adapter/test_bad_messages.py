"""Malformed and oversized messages: a clear error, and the session goes on."""

from __future__ import annotations

import pytest

from harness import DebugSession, RepeatingSession

GARBAGE = [
    b"Content-Length: 8\r\n\r\nnot json",
    b"Content-Length: 2\r\n\r\n[]",
    b'Content-Length: 15\r\n\r\n{"type":"song"}',
    b"Nonsense: 5\r\n\r\n",
    b"\0\1\2\3 binary \xff\r\n\r\n",
]


@pytest.mark.parametrize("garbage", GARBAGE, ids=repr)
def test_garbage_is_reported_and_the_session_goes_on(
    repeating_plain: RepeatingSession, garbage: bytes
) -> None:
    repeating_plain.launch("loop.py", stops=["return"])
    repeating_plain.wait_for_stop()
    repeating_plain.client.send_bytes(garbage)
    repeating_plain.client.next_event("output", where=lambda body: "could not be read" in body["output"])
    assert repeating_plain.locals()["result"]["value"] == "6"


def test_an_oversized_request_is_refused_by_its_number(session: DebugSession) -> None:
    session.initialize()
    size = 65 * 1024 * 1024
    body = b'{"seq": 77, "type": "request", "command": "evaluate", "arguments": {"expression": "'
    session.client.send_bytes(b"Content-Length: %d\r\n\r\n%s%s" % (size, body, b"x" * (size - len(body))))
    response = session.client.wait(77)
    assert not response["success"]
    assert response["command"] == "evaluate"
    assert "over the limit" in response["message"]
    assert session.client.ask("threads", {}, timeout=10) is not None


def test_a_broken_request_is_refused_by_its_number(session: DebugSession) -> None:
    session.initialize()
    body = b'{"seq": 78, "type": "request", "command": "threads", "arguments": [1]}'
    session.client.send_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    assert "arguments must be an object" in session.client.wait(78)["message"]
