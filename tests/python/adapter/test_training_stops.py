"""The stop for a finding: at the user's line, from wherever torch calls us, with everything a stop has."""

from __future__ import annotations

import pytest

from harness import DEBUGGEES, RepeatingSession, line_of

PATIENCE = 90.0
"""Seconds; importing torch takes its time on a busy machine."""
pytestmark = pytest.mark.timeout(300)

PROGRAM = DEBUGGEES / "told.py"
PLACES = ["forward", "backward", "tensor", "step", "mode", "thread forward", "thread backward", "thread step"]
LINE_OF = {"tensor": "backward", "mode": "forward"}


def line_for(place: str) -> int:
    word = place.removeprefix("thread ")
    if word == "mode":
        return line_of("forward", PROGRAM) + 1
    return line_of(LINE_OF.get(word, word), PROGRAM)


@pytest.mark.parametrize("place", PLACES)
def test_a_finding_stops_in_the_users_frame_and_the_program_goes_on_from_there(
    repeating: RepeatingSession, place: str
) -> None:
    session = repeating
    session.launch(PROGRAM, args=[place])
    stop = session.wait_for_stop(PATIENCE)
    assert (stop.frames[0]["name"], stop.line) == ("train_step", line_for(place))
    assert stop.event["reason"] == "exception"
    assert stop.event["description"] == place.removeprefix("thread ")
    assert session.evaluate("where")["result"] == repr(place.removeprefix("thread "))
    assert "inputs" in session.locals()
    names = [scope["name"] for scope in session.request("scopes", frameId=stop.frame)["scopes"]]
    assert names == ["Locals", "Finding", "Globals"]
    rows = session.expand(session.scope("Finding"))
    assert rows["outputs"]["value"].startswith("f32[6]")
    assert rows["(step)"]["value"] == "3"
    info = session.request("exceptionInfo", threadId=stop.thread)
    assert info["exceptionId"] == place.removeprefix("thread ")
    assert "The loss is 7.5" in info["description"]
    assert "0.weight  12" in info["details"]["stackTrace"]
    assert len(stop.frames) >= 2
    main = session.locals(stop.frames[1]["id"])
    assert main["where"]["value"] == repr(place.removeprefix("thread "))
    following = session.next()
    assert following.frames[0]["name"] == "train_step"
    assert following.event["reason"] == "step"
    assert following.line == stop.line + 1
    session.run_to_end(PATIENCE)
    assert "done" in session.output()
