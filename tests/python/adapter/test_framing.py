"""Whatever bytes come in, the decoder gives messages or says what is wrong, and finds the next message."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensorpeek.adapter.framing import HEADER_LIMIT, Decoder, Garbled, Message, encode

requests = st.builds(
    lambda seq, command, arguments: {
        "seq": seq,
        "type": "request",
        "command": command,
        "arguments": arguments,
    },
    st.integers(0, 2**31),
    st.text(min_size=1),
    st.dictionaries(st.text(), st.recursive(st.none() | st.booleans() | st.text(), st.lists, max_leaves=5)),
)
GOOD: Message = {"seq": 5, "type": "request", "command": "threads"}


def split(data: bytes, cuts: list[int]) -> list[bytes]:
    edges = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    return [data[a:b] for a, b in pairwise(edges)]


@given(st.lists(requests, max_size=5), st.lists(st.integers(0, 10_000)))
def test_messages_survive_any_cut_of_the_stream(messages: list[Message], cuts: list[int]) -> None:
    decoder = Decoder()
    pieces = split(b"".join(map(encode, messages)), cuts)
    assert [item for piece in pieces for item in decoder.feed(piece)] == messages


@given(st.binary(max_size=200), st.lists(st.integers(0, 10_000)))
def test_any_bytes_are_read_without_raising(data: bytes, cuts: list[int]) -> None:
    decoder = Decoder(body_limit=50)
    for piece in split(data, cuts):
        decoder.feed(piece)


@given(st.text("abc :\r\n", max_size=80))
def test_after_garbage_the_next_message_is_found(garbage: str) -> None:
    items = Decoder().feed(garbage.encode() + b"\r\n\r\n" + encode(GOOD))
    assert items[-1] == GOOD
    assert all(isinstance(item, Garbled) for item in items[:-1])


@pytest.mark.parametrize(
    "header",
    [b"Content-Length: x", b"Content-Length: -5", b"Content-Length:", b"Length: 5", b"", b"GET / HTTP/1.1"],
)
def test_a_header_without_a_length_is_reported_once(header: bytes) -> None:
    items = Decoder().feed(header + b"\r\n\r\n{}" + encode(GOOD))
    assert [type(item) for item in items] == [Garbled, dict]


def test_an_endless_header_is_given_up() -> None:
    items = Decoder().feed(b"x" * (HEADER_LIMIT + 10))
    assert [item.problem for item in items if isinstance(item, Garbled)] == ["the header does not end"]


def test_other_headers_and_any_case_are_accepted() -> None:
    body = json.dumps(GOOD).encode()
    head = b"Content-Type: application/json\r\ncontent-length: %d\r\n\r\n" % len(body)
    assert Decoder().feed(head + body) == [GOOD]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"not json",
        b"[1, 2]",
        b'"text"',
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"seq": 1, "type": "request"}',
        b'{"seq": "1", "type": "request", "command": "x"}',
        b'{"seq": 1, "type": "request", "command": "x", "arguments": [1]}',
        b'{"seq": 1, "type": "response"}',
        b'{"seq": 1, "type": "event"}',
        b'{"seq": 1, "type": "song"}',
        b'{"seq": 1}',
    ],
    ids=repr,
)
def test_a_body_that_is_no_message_is_reported_and_passed_over(body: bytes) -> None:
    items = Decoder().feed(b"Content-Length: %d\r\n\r\n%s" % (len(body), body) + encode(GOOD))
    assert isinstance(items[0], Garbled)
    assert items[1:] == [GOOD]


def test_an_oversized_body_is_skipped_but_its_request_is_known() -> None:
    big = encode(
        {"seq": 41, "type": "request", "command": "evaluate", "arguments": {"expression": "x" * 5000}}
    )
    decoder = Decoder(body_limit=2000)
    items = [item for i in range(0, len(big), 700) for item in decoder.feed(big[i : i + 700])]
    items += decoder.feed(encode(GOOD))
    assert [type(item) for item in items] == [Garbled, dict]
    garbled = items[0]
    assert isinstance(garbled, Garbled)
    assert (garbled.number("seq"), garbled.command()) == (41, "evaluate")


def test_lone_surrogates_are_sent() -> None:
    message: Message = {"seq": 1, "type": "event", "event": "output", "body": {"output": "\udc80"}}
    assert Decoder().feed(encode(message)) == [message]
