"""What takes long: never in the way, exact on a click, with progress and cancel."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from harness import DebugSession, Stop

PROMPT = 1.0
"""Seconds; a click that takes longer feels stuck. Generous, since tests share their machine."""


@pytest.fixture(scope="module")
def running() -> Iterator[DebugSession]:
    """One program for all tests: importing torch takes longest."""
    with DebugSession() as session:
        session.launch("huge.py", stops=["turn"])
        session.wait_for_stop(60)
        yield session


@pytest.fixture
def paused(running: DebugSession) -> DebugSession:
    """A step later, when nothing is known of `huge` yet."""
    running.next()
    return running


def stop_of(session: DebugSession) -> Stop:
    assert session.stop is not None
    return session.stop


def unfinished(session: DebugSession) -> int:
    huge = session.locals()["huge"]
    assert huge["presentationHint"]["lazy"] is True
    assert "seen" in huge["value"]
    return huge["variablesReference"]


def click(session: DebugSession) -> tuple[int, str]:
    """The number of the request, which is still at work, and the identity of its progress."""
    seq = session.client.send("variables", {"variablesReference": unfinished(session)})
    return seq, session.client.next_event("progressStart")["progressId"]


def test_a_click_makes_it_exact(paused: DebugSession) -> None:
    seq, progress = click(paused)
    (huge,) = paused.client.body_of(paused.client.wait(seq, 100))["variables"]
    assert huge["name"] == "huge"
    assert "seen" not in huge["value"]
    assert "lazy" not in huge.get("presentationHint", {})
    assert "stats" in paused.expand(huge)
    start, *_ = paused.client.events("progressStart")
    assert start["cancellable"] is True
    assert "huge" in start["title"]
    assert paused.client.next_event("progressEnd")["progressId"] == progress
    updates = [event for event in paused.client.events("progressUpdate") if event["progressId"] == progress]
    shown = [event["percentage"] for event in updates]
    assert shown == sorted(shown)


@pytest.mark.parametrize("way", ["progress", "request"])
def test_cancel_gives_what_is_known(paused: DebugSession, way: str) -> None:
    seq, progress = click(paused)
    paused.request("cancel", **({"progressId": progress} if way == "progress" else {"requestId": seq}))
    (huge,) = paused.client.body_of(paused.client.wait(seq, 10))["variables"]
    assert "seen" in huge["value"]
    assert huge["presentationHint"]["lazy"] is True
    assert paused.client.next_event("progressEnd")["progressId"] == progress


@pytest.mark.parametrize("command", ["continue", "next", "stepIn", "stepOut"])
def test_going_on_cancels_it_at_once(paused: DebugSession, command: str) -> None:
    seq, progress = click(paused)
    seconds, response = paused.client.timed(command, threadId=stop_of(paused).thread)
    assert response["success"]
    assert seconds < PROMPT
    assert paused.client.wait(seq, 10)["success"]
    assert paused.client.next_event("progressEnd")["progressId"] == progress
    paused.wait_for_stop()


def test_everything_else_is_answered_meanwhile(paused: DebugSession) -> None:
    stop = stop_of(paused)
    seq, _ = click(paused)
    for command, arguments in (
        ("threads", {}),
        ("stackTrace", {"threadId": stop.thread}),
        ("scopes", {"frameId": stop.frame}),
        ("evaluate", {"expression": "other", "frameId": stop.frame, "context": "hover"}),
    ):
        seconds, response = paused.client.timed(command, **arguments)
        assert response["success"]
        assert seconds < PROMPT, command
    paused.request("cancel", requestId=seq)
    paused.client.next_event("progressEnd")


def test_a_hover_of_it_opens_its_children(paused: DebugSession) -> None:
    hover = paused.evaluate("huge", "hover")
    assert "seen" in hover["result"]
    assert "lazy" not in hover.get("presentationHint", {})
    assert "stats" in paused.expand(hover)


def test_a_watch_of_it_can_be_clicked(paused: DebugSession) -> None:
    watch = paused.evaluate("huge", "watch")
    assert watch["presentationHint"]["lazy"] is True
    seq = paused.client.send("variables", {"variablesReference": watch["variablesReference"]})
    paused.client.next_event("progressStart")
    paused.request("cancel", requestId=seq)
    (variable,) = paused.client.body_of(paused.client.wait(seq))["variables"]
    assert variable["name"] == "huge"
    assert "result" not in variable
    paused.client.next_event("progressEnd")


def test_requests_that_do_not_wait_for_each_other_get_their_own_answers(paused: DebugSession) -> None:
    frame = stop_of(paused).frame
    arguments = {"frameId": frame, "context": "hover"}
    asked = {
        paused.client.send("evaluate", {"expression": f"{n} + 1", **arguments}): str(n + 1) for n in range(50)
    }
    answers = {seq: paused.client.body_of(paused.client.wait(seq))["result"] for seq in asked}
    assert answers == asked


def test_pause_is_answered_at_once(paused: DebugSession) -> None:
    source = stop_of(paused).frames[0]["source"]
    paused.request("setBreakpoints", source=source, breakpoints=[])
    unfinished(paused)
    paused.resume()
    seconds, _ = paused.client.timed("pause", threadId=1)
    assert seconds < PROMPT
    assert paused.wait_for_stop().event["reason"] == "pause"


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
    assert config["value"].startswith("Config(...)")


def test_large_images(session: DebugSession) -> None:
    session.launch("images.py", stops=["here"])
    session.wait_for_stop(60)
    seconds, response = session.client.timed("variables", variablesReference=session.scope())
    assert seconds < PROMPT
    values = {v["name"]: v["value"] for v in response["body"]["variables"]}
    assert "f32[8,3,512,512]" in values["images"]
    assert "tensor(" not in "".join(values.values())


def test_fifty_thousand_locals(session: DebugSession, tmp_path: Path) -> None:
    program = tmp_path / "crowded.py"
    names = ", ".join(f"name_{number}" for number in range(50_000))
    program.write_text(
        f"def crowded():\n    {names} = range(50_000)\n    return  # @bp:here\n\n\ncrowded()\n"
    )
    session.launch(program, stops=["here"])
    session.wait_for_stop(60)
    seconds, response = session.client.timed("variables", variablesReference=session.scope())
    assert response["success"]
    assert seconds < PROMPT
    assert session.evaluate("name_49999")["result"] == "49999"
