"""What takes long: never in the way, exact on a click, with progress and cancel."""

from __future__ import annotations

import threading

import pytest

from harness import DebugSession, Stop

PROMPT = 1.0
"""Seconds; a click that takes longer feels stuck. Generous, since tests share their machine."""


@pytest.fixture
def stop(session: DebugSession) -> Stop:
    session.launch("huge.py", stops=["here"])
    return session.wait_for_stop(60)


def unfinished(session: DebugSession) -> int:
    huge = session.locals()["huge"]
    assert huge["presentationHint"]["lazy"] is True
    assert "seen" in huge["value"]
    return huge["variablesReference"]


def test_a_click_makes_it_exact(session: DebugSession, stop: Stop) -> None:
    body = session.request("variables", 110, variablesReference=unfinished(session))
    (huge,) = body["variables"]
    assert huge["name"] == "huge"
    assert "seen" not in huge["value"]
    assert "lazy" not in huge.get("presentationHint", {})
    assert "stats" in session.expand(huge)
    (start,) = session.client.events("progressStart")
    (end,) = session.client.events("progressEnd")
    assert start["cancellable"] is True
    assert "huge" in start["title"]
    assert start["progressId"] == end["progressId"]
    shown = [event["percentage"] for event in session.client.events("progressUpdate")]
    assert shown == sorted(shown)


@pytest.mark.parametrize("way", ["progress", "request"])
def test_cancel_gives_what_is_known(session: DebugSession, stop: Stop, way: str) -> None:
    seq = session.client.send("variables", {"variablesReference": unfinished(session)})
    progress = session.client.next_event("progressStart")["progressId"]
    session.request("cancel", **({"progressId": progress} if way == "progress" else {"requestId": seq}))
    (huge,) = session.client.body_of(session.client.wait(seq, 10))["variables"]
    assert "seen" in huge["value"]
    assert huge["presentationHint"]["lazy"] is True
    assert session.client.next_event("progressEnd")["progressId"] == progress


@pytest.mark.parametrize("command", ["continue", "next", "stepIn", "stepOut"])
def test_going_on_cancels_it_at_once(session: DebugSession, stop: Stop, command: str) -> None:
    seq = session.client.send("variables", {"variablesReference": unfinished(session)})
    session.client.next_event("progressStart")
    seconds, response = session.client.timed(command, threadId=stop.thread)
    assert response["success"]
    assert seconds < PROMPT
    assert session.client.wait(seq, 10)["success"]
    session.client.next_event("progressEnd")


def test_everything_else_is_answered_meanwhile(session: DebugSession, stop: Stop) -> None:
    reference = unfinished(session)
    seq = session.client.send("variables", {"variablesReference": reference})
    session.client.next_event("progressStart")
    for command, arguments in (
        ("threads", {}),
        ("stackTrace", {"threadId": stop.thread}),
        ("scopes", {"frameId": stop.frame}),
        ("evaluate", {"expression": "other", "frameId": stop.frame, "context": "hover"}),
        ("variables", {"variablesReference": session.scope()}),
    ):
        seconds, response = session.client.timed(command, **arguments)
        assert response["success"]
        assert seconds < PROMPT, command
    assert not session.client.has_response(seq)
    session.request("cancel", requestId=seq)


def test_pause_is_answered_at_once(session: DebugSession, stop: Stop) -> None:
    unfinished(session)
    session.resume()
    seconds, _ = session.client.timed("pause", threadId=1)
    assert seconds < PROMPT
    assert session.wait_for_stop().event["reason"] == "pause"


def test_a_hover_of_it_opens_its_children(session: DebugSession, stop: Stop) -> None:
    hover = session.evaluate("huge", "hover")
    assert "seen" in hover["result"]
    assert "lazy" not in hover.get("presentationHint", {})
    assert "stats" in session.expand(hover)


def test_a_watch_of_it_can_be_clicked(session: DebugSession, stop: Stop) -> None:
    watch = session.evaluate("huge", "watch")
    assert watch["presentationHint"]["lazy"] is True
    seq = session.client.send("variables", {"variablesReference": watch["variablesReference"]})
    session.client.next_event("progressStart")
    session.request("cancel", requestId=seq)
    (variable,) = session.client.body_of(session.client.wait(seq))["variables"]
    assert variable["name"] == "huge"


def test_a_slow_repr_waits_for_a_click(session: DebugSession) -> None:
    session.launch("slow_repr.py", stops=["here"])
    session.wait_for_stop()
    seconds, response = session.client.timed("variables", variablesReference=session.scope())
    assert seconds < PROMPT
    values = {v["name"]: v for v in response["body"]["variables"]}
    assert values["number"]["value"] == "1"
    assert values["config"]["presentationHint"]["lazy"] is True
    seq = session.client.send("variables", {"variablesReference": values["config"]["variablesReference"]})
    seconds, _ = session.client.timed("threads")
    assert seconds < PROMPT
    (config,) = session.client.body_of(session.client.wait(seq))["variables"]
    assert config["value"] == "Config(...)"


def test_large_images(session: DebugSession) -> None:
    session.launch("images.py", stops=["here"])
    session.wait_for_stop(60)
    seconds, response = session.client.timed("variables", variablesReference=session.scope())
    assert seconds < PROMPT
    values = {v["name"]: v["value"] for v in response["body"]["variables"]}
    assert "f32[8,3,512,512]" in values["images"]
    assert "tensor(" not in "".join(values.values())


def test_fifty_thousand_locals(session: DebugSession) -> None:
    session.launch("many_locals.py", stops=["crowded"])
    stop = session.wait_for_stop(60)
    seconds, response = session.client.timed(
        "variables", variablesReference=session.scope(frame=stop.frames[1]["id"])
    )
    assert response["success"]
    assert seconds < 3
    assert session.evaluate("name_49999", frame=stop.frames[1]["id"])["result"] == "49999"


def test_two_threads_can_wait_for_one_session(session: DebugSession, stop: Stop) -> None:
    """Requests of a client that does not wait for answers come back each with its own."""
    expressions = [f"other + {n}" for n in range(50)]
    answers: dict[str, str] = {}
    threads = [
        threading.Thread(target=lambda e=e: answers.setdefault(e, session.evaluate(e)["result"]))
        for e in expressions
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {e: str(1 + n) for n, e in enumerate(expressions)}
