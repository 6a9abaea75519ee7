"""The session between two channels in memory: what happens when something of ours or of debugpy's fails."""

from __future__ import annotations

import asyncio
import json
import logging
from pathlib import Path
from typing import Any

import pytest

from tensorpeek.adapter import activation
from tensorpeek.adapter.access import Access
from tensorpeek.adapter.channel import Channel
from tensorpeek.adapter.client_side import client_channel
from tensorpeek.adapter.framing import BODY_LIMIT, Decoder, Garbled, Message, encode
from tensorpeek.adapter.launch_attributes import StartAttributes
from tensorpeek.adapter.peer import Peer
from tensorpeek.adapter.peer_choice import PeerChoice
from tensorpeek.adapter.peer_side import PeerSide
from tensorpeek.adapter.session import Session
from tensorpeek.contract.envelope import wrap


class Wire:
    """Takes what a channel writes, as messages."""

    def __init__(self) -> None:
        self.messages: list[Any] = []
        self._decoder = Decoder()

    def write(self, data: bytes) -> None:
        self.messages += self._decoder.feed(data)

    def close(self) -> None:
        pass

    def is_closing(self) -> bool:
        return False


class Between:
    """A session with a client and a debugpy that are played by the test."""

    def __init__(self) -> None:
        self.session = Session()
        choice = PeerChoice(self.session, None, None)
        self.client = client_channel(self.session, choice, Access(), Channel)
        side = PeerSide(self.session)
        self.debugpy = Channel("debugpy", side)
        self.session.peer = Peer(self.debugpy, side)
        self.to_client, self.to_debugpy = Wire(), Wire()
        self.client.write_to(self.to_client)
        self.debugpy.write_to(self.to_debugpy)

    def ask(self, seq: int, command: str, **arguments: Any) -> None:
        message = {"seq": seq, "type": "request", "command": command, "arguments": arguments}
        self.client.data_received(encode(message))

    def stop(self) -> None:
        event = {"seq": 1, "type": "event", "event": "stopped", "body": {"threadId": 1, "reason": "step"}}
        self.debugpy.data_received(encode(event))

    def answer(self, body: Message, to: Message | None = None) -> None:
        """debugpy's answer to a request, by default the last one."""
        request = to or self.to_debugpy.messages[-1]
        self.debugpy.data_received(
            encode(
                {
                    "seq": 1,
                    "type": "response",
                    "request_seq": request["seq"],
                    "command": request["command"],
                    "success": True,
                    "body": body,
                }
            )
        )

    @property
    def last(self) -> Message:
        return self.to_client.messages[-1]

    def events(self, name: str) -> list[Message]:
        return [m["body"] for m in self.to_client.messages if m.get("event") == name]


@pytest.fixture
def between() -> Between:
    return Between()


TENSOR = wrap({"text": "f32[3]", "kind": "tensor"})


async def test_what_we_can_not_edit_goes_through_as_it_is(
    between: Between, caplog: pytest.LogCaptureFixture
) -> None:
    nameless = {"variables": [{"value": TENSOR, "variablesReference": 3}]}
    for seq in (1, 2):
        between.ask(seq, "variables", variablesReference=5)
        between.answer(nameless)
        assert between.last["request_seq"] == seq
        assert between.last["body"] == {"variables": [{"value": "f32[3]", "variablesReference": 3}]}
    (mode,) = between.events("tensorpeek/mode")
    assert mode["mode"] == "plain"
    (record,) = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert record.exc_info is not None


async def test_from_then_on_references_are_debugpys(between: Between) -> None:
    between.ask(1, "variables", variablesReference=5)
    between.answer({"variables": [{}]})
    between.ask(2, "variables", variablesReference=5)
    between.answer({"variables": [{"name": "x", "value": TENSOR, "variablesReference": 3}]})
    assert between.last["body"] == {"variables": [{"name": "x", "value": "f32[3]", "variablesReference": 3}]}
    between.ask(3, "variables", variablesReference=3)
    assert between.to_debugpy.messages[-1]["arguments"]["variablesReference"] == 3


async def test_a_failed_answer_of_debugpys_is_not_touched(between: Between) -> None:
    between.ask(1, "variables", variablesReference=5)
    seq = between.to_debugpy.messages[-1]["seq"]
    failed = {
        "type": "response",
        "request_seq": seq,
        "command": "variables",
        "success": False,
        "message": "no",
    }
    between.debugpy.data_received(encode({"seq": 1, **failed}))
    assert between.last["message"] == "no"
    assert between.events("tensorpeek/mode") == []


async def test_when_debugpy_ends_all_that_waits_is_answered(between: Between) -> None:
    between.ask(1, "variables", variablesReference=5)
    between.ask(2, "threads")
    between.debugpy.connection_lost(None)
    responses = {m["request_seq"]: m for m in between.to_client.messages if m["type"] == "response"}
    assert {seq: (m["command"], m["success"]) for seq, m in responses.items()} == {
        1: ("variables", False),
        2: ("threads", False),
    }
    assert between.events("terminated") == [{}]
    between.ask(3, "threads")
    assert between.last["message"] == "The debug session has ended."


async def test_an_oversized_answer_of_debugpys_fails_its_request(between: Between) -> None:
    between.ask(7, "variables", variablesReference=5)
    seq = between.to_debugpy.messages[-1]["seq"]
    head = b'{"seq": 9, "type": "response", "request_seq": %d, "success": true, "body": "' % seq
    between.debugpy.data_received(b"Content-Length: %d\r\n\r\n" % (BODY_LIMIT + 1))
    between.debugpy.data_received(head + b"x" * 2000)
    assert between.last["request_seq"] == 7
    assert not between.last["success"]
    assert "over the limit" in between.last["message"]


def number_in(item: Any, field: str) -> int | None:
    """The test's own decoder has less room on the stack than the adapter's."""
    return item.number(field) if isinstance(item, Garbled) else item[field]


async def test_whatever_is_nested_too_deeply_fails_its_request(between: Between) -> None:
    for depth in (*range(900, 1010), 5000):
        inner = '{"x":' * depth + "1" + "}" * depth
        sent = len(between.to_debugpy.messages)
        request = f'{{"seq":{depth},"type":"request","command":"threads","arguments":{inner}}}'
        between.client.data_received(b"Content-Length: %d\r\n\r\n%s" % (len(request), request.encode()))
        if len(between.to_debugpy.messages) > sent:
            number = number_in(between.to_debugpy.messages[-1], "seq")
            reply = f'{{"request_seq":{number},"type":"response","success":true,"command":"","body":{inner}}}'
            between.debugpy.data_received(b"Content-Length: %d\r\n\r\n%s" % (len(reply), reply.encode()))
        await asyncio.sleep(0)
    answered = [number_in(message, "request_seq") for message in between.to_client.messages]
    assert answered == [*range(900, 1010), 5000]


async def test_garbage_of_debugpys_is_shown(between: Between) -> None:
    between.debugpy.data_received(b"Content-Length: 5\r\n\r\nhello")
    assert "could not be read" in between.events("output")[0]["output"]


async def test_an_event_whose_handling_fails_goes_through(between: Between) -> None:
    between.debugpy.data_received(encode({"seq": 1, "type": "event", "event": "process", "body": [1]}))
    assert between.last["event"] == "process"


async def test_a_reverse_request_and_its_answer_pass(between: Between) -> None:
    request = {"seq": 33, "type": "request", "command": "runInTerminal", "arguments": {"args": ["x"]}}
    between.debugpy.data_received(encode(request))
    asked = between.last
    assert asked["arguments"] == {"args": ["x"]}
    answer = {"type": "response", "request_seq": asked["seq"], "command": "runInTerminal", "success": True}
    between.client.data_received(encode({"seq": 1, **answer}))
    assert between.to_debugpy.messages[-1]["request_seq"] == 33


async def test_pending_values_are_summarized_in_one_call_and_kept_when_that_fails(between: Between) -> None:
    pending = wrap({"text": "f32[9]", "kind": "tensor", "pending": True})
    between.ask(1, "variables", variablesReference=5)
    between.answer(
        {
            "variables": [
                {"name": n, "value": pending, "variablesReference": r} for n, r in (("a", 3), ("b", 4))
            ]
        }
    )
    await settled()
    call = between.to_debugpy.messages[-1]
    assert call["command"] == "evaluate"
    assert "frameId" not in call["arguments"]
    assert "summarize" in call["arguments"]["expression"]
    reply = {"contractVersion": 1, "ok": False, "error": "gone"}
    between.answer({"result": json.dumps(reply)})
    await settled()
    assert between.last["request_seq"] == 1
    variables = between.last["body"]["variables"]
    assert [(v["value"], v["presentationHint"]) for v in variables] == [("f32[9]", {"lazy": True})] * 2
    assert between.events("tensorpeek/mode") == []


PENDING = wrap({"text": "f32[9]", "kind": "tensor", "pending": True})


PARENT = {"variablesReference": 5}
WATCHED = {"expression": "x", "frameId": 1, "context": "watch"}


@pytest.mark.parametrize(
    ("command", "arguments", "field", "body"),
    [
        ("scopes", {"frameId": 1}, "scopes", {"scopes": [{"name": "Locals"}]}),
        ("variables", PARENT, "variables", {"variables": [{"name": "x", "value": TENSOR}]}),
        ("variables", PARENT, "variables", {"variables": [{"name": "x", "value": PENDING}]}),
        ("evaluate", WATCHED, "", {"result": TENSOR}),
        ("evaluate", WATCHED, "", {"result": PENDING}),
        ("setVariable", {**PARENT, "name": "x", "value": "1"}, "", {"value": PENDING}),
        ("setExpression", {**WATCHED, "value": "1"}, "", {"value": PENDING}),
    ],
)
async def test_an_answer_of_an_earlier_pause_leaves_the_references_of_this_one(
    between: Between, command: str, arguments: Message, field: str, body: Message
) -> None:
    def answer(reference: int) -> Message:
        (entry,) = body[field] if field else [body]
        given = {**entry, "variablesReference": reference}
        return {field: [given]} if field else given

    def reference() -> int:
        (entry,) = between.last["body"][field] if field else [between.last["body"]]
        return entry["variablesReference"]

    is_pending = "pending" in json.dumps(body)

    async def summarized() -> None:
        await settled()
        if between.to_debugpy.messages[-1]["command"] == "evaluate" and is_pending:
            result = {"presentations": [{"text": "f32[9]", "kind": "tensor", "partial": True}]}
            between.answer({"result": json.dumps({"contractVersion": 1, "ok": True, "body": result})})
            await settled()

    between.ask(1, command, **arguments)
    late = between.to_debugpy.messages[-1]
    between.ask(2, "next", threadId=1)
    between.stop()
    between.ask(3, command, **arguments)
    between.answer(answer(20))
    await summarized()
    assert between.last["request_seq"] == 3
    ours = reference()
    assert ours != 20
    between.answer(answer(10), late)
    await summarized()
    assert between.last["request_seq"] == 1
    assert reference() == 10
    assert "lazy" not in json.dumps(between.last)
    between.ask(4, "setVariable", variablesReference=ours, name="y", value="1")
    assert between.to_debugpy.messages[-1]["arguments"]["variablesReference"] == 20


async def test_what_was_learnt_before_a_refinement_failed_is_kept(between: Between) -> None:
    def reply(**rest: Any) -> Message:
        return {"result": json.dumps({"contractVersion": 1, **rest})}

    def presentation(text: str) -> Message:
        return {"text": text, "kind": "tensor", "partial": True}

    between.ask(1, "variables", variablesReference=5)
    first = wrap({"text": "first", "kind": "tensor", "partial": True})
    between.answer({"variables": [{"name": "x", "value": first, "variablesReference": 3}]})
    (unfinished,) = between.last["body"]["variables"]
    between.ask(2, "variables", variablesReference=unfinished["variablesReference"])
    await settled()
    slice_done = {"done": False, "fraction": 0.5, "presentation": presentation("second")}
    between.answer(reply(ok=True, body=slice_done))
    await settled()
    between.answer(reply(ok=False, error="gone"))
    await settled()
    assert between.last["request_seq"] == 2
    (kept,) = between.last["body"]["variables"]
    assert kept["value"] == "second"
    assert kept["presentationHint"] == {"lazy": True}


PROCESS = {"pid": 1, "name": "", "python": "3.11.7", "torch": "2.5.0", "numpy": "", "problem": ""}


async def installing(between: Between, monkeypatch: pytest.MonkeyPatch, patience: float) -> Message:
    """The request that installs the probe, after so many seconds of waiting for its answer."""
    monkeypatch.setattr(activation, "INSTALL_PATIENCE", patience)
    between.session.start = StartAttributes.of("launch", {})
    between.debugpy.data_received(encode({"seq": 1, "type": "event", "event": "initialized"}))
    await settled()
    install = between.to_debugpy.messages[-1]
    between.ask(1, "configurationDone")
    await asyncio.sleep(patience if patience < 1 else 0)
    await settled()
    return install


def installed() -> Message:
    return {"result": json.dumps({"contractVersion": 1, "ok": True, "body": PROCESS})}


def modes(between: Between) -> list[str]:
    return [event["mode"] for event in between.events("tensorpeek/mode")]


async def test_the_program_waits_for_the_probe(between: Between, monkeypatch: pytest.MonkeyPatch) -> None:
    install = await installing(between, monkeypatch, 20)
    assert between.to_debugpy.messages[-1] is install
    between.answer(installed(), install)
    await settled()
    conditions = between.to_debugpy.messages[-1]
    assert "conditions" in conditions["arguments"]["expression"]
    done = {"result": json.dumps({"contractVersion": 1, "ok": True, "body": {}})}
    between.answer(done, conditions)
    await settled()
    first_step = between.to_debugpy.messages[-1]
    assert "firstStep" in first_step["arguments"]["expression"]
    between.answer(done, first_step)
    await settled()
    assert between.to_debugpy.messages[-1]["command"] == "configurationDone"
    assert modes(between) == ["active"]


async def test_a_probe_that_starts_late_is_there_all_the_same(
    between: Between, monkeypatch: pytest.MonkeyPatch
) -> None:
    install = await installing(between, monkeypatch, 0.01)
    assert between.to_debugpy.messages[-1]["command"] == "configurationDone"
    assert modes(between) == ["plain"]
    between.answer(installed(), install)
    await settled()
    assert modes(between) == ["plain", "active"]


async def test_after_a_failure_of_ours_a_late_probe_changes_nothing(
    between: Between, monkeypatch: pytest.MonkeyPatch
) -> None:
    install = await installing(between, monkeypatch, 0.01)
    between.ask(2, "variables", variablesReference=5)
    between.answer({"variables": [{}]})
    between.answer(installed(), install)
    await settled()
    assert modes(between) == ["plain", "plain"]
    assert between.session.activation.mode == "plain"


async def test_an_end_while_the_probe_starts_is_no_failure_of_it(
    between: Between, monkeypatch: pytest.MonkeyPatch
) -> None:
    await installing(between, monkeypatch, 20)
    between.debugpy.connection_lost(None)
    await settled()
    assert modes(between) == []


async def settled() -> None:
    """Lets the tasks of the session go as far as they can."""
    for _ in range(10):
        await asyncio.sleep(0)


def test_the_injector_is_where_the_adapter_looks() -> None:
    from tensorpeek.adapter.probe_link import INJECTOR

    assert Path(INJECTOR).is_file()
