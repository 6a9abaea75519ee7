"""Break on Value Change stops at the user's line that changed a tensor."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import debugpy  # type: ignore[import-untyped]
import pytest

from harness import DEBUGGEES, DebugSession, RepeatingSession, line_of
from harness.pythons import find_python

PATH = DEBUGGEES / "watched.py"


@pytest.fixture
def session(repeating: RepeatingSession) -> RepeatingSession:
    return repeating


def started(session: RepeatingSession, marker: str) -> None:
    session.launch("watched.py", stops=[marker])
    session.wait_for_stop()
    session.request("setBreakpoints", source={"path": str(PATH)}, breakpoints=[])


def watch(session: RepeatingSession, name: str, reference: int | None = None, **more: str) -> dict[str, Any]:
    reference = session.scope() if reference is None else reference
    information = session.request("dataBreakpointInfo", name=name, variablesReference=reference)
    assert information["dataId"], information
    breakpoints = [{"dataId": information["dataId"], "accessType": "write", **more}]
    answers = session.request("setDataBreakpoints", breakpoints=breakpoints)["breakpoints"]
    assert [answer["verified"] for answer in answers] == [True]
    return information


def stop_at(session: RepeatingSession, marker: str) -> dict[str, Any]:
    stop = session.wait_for_stop()
    assert stop.event["reason"] == "data breakpoint", stop.event
    assert (stop.frames[0]["source"]["path"], stop.line) == (str(PATH), line_of(marker, PATH))
    return stop.event


def test_each_line_that_writes_is_stopped_at(session: RepeatingSession) -> None:
    started(session, "begin")
    information = watch(session, "x")
    assert information["description"] == (
        "x written or replaced (checked after each of your lines, about as slow as a line breakpoint)"
    )
    assert (information["accessTypes"], information["canPersist"]) == (["write"], False)
    for marker in ("in-place", "item", "inside", "view", "function", "rebound"):
        session.resume()
        event = stop_at(session, marker)
        how = "given another value" if marker == "rebound" else "written in place"
        assert event["description"] == f"x was {how}"
        assert f"x was {how} in line {line_of(marker, PATH)}" in event["text"]
    session.request("setDataBreakpoints", breakpoints=[])
    assert session.run_to_end() == 0


def test_it_shows_before_and_after_and_steps_go_on_from_there(session: RepeatingSession) -> None:
    started(session, "begin")
    watch(session, "x")
    session.resume()
    event = stop_at(session, "in-place")
    before, after = event["text"].splitlines()[1:]
    assert before == "before: all 0 f32[3]"
    assert after == "after: all = 1 f32[3]"
    shown = session.expand(session.scope("Change"))
    assert list(shown) == ["x", "before", "after"]
    assert session.evaluate("x.tolist()")["result"] == "[1.0, 1.0, 1.0]"
    assert session.next().line == line_of("item", PATH)
    session.request("setDataBreakpoints", breakpoints=[])
    assert session.next().line == line_of("item", PATH) + 1
    assert session.step_in().line == line_of("inside", PATH) - 1
    assert session.run_to_end() == 0


def test_a_parameter_that_the_optimizer_writes(session: RepeatingSession) -> None:
    started(session, "loss")
    model = session.locals()["model"]
    watch(session, "weight", model["variablesReference"])
    for _ in range(3):
        session.resume()
        assert stop_at(session, "step")["description"] == "weight was written in place"
    assert session.evaluate("step")["result"] == "2"
    assert session.run_to_end() == 0


def test_condition_and_hit_count(session: RepeatingSession) -> None:
    started(session, "loss")
    model = session.locals()["model"]
    watch(session, "weight", model["variablesReference"], condition="value.numel() == 2", hitCondition="2")
    session.resume()
    stop_at(session, "step")
    assert session.evaluate("step")["result"] == "1"
    assert session.run_to_end() == 0


def test_a_number_and_the_next_call_of_its_function(session: RepeatingSession) -> None:
    started(session, "in-place")
    watch(session, "steps")
    for _ in range(2):
        session.resume()
        assert stop_at(session, "number")["description"] == "steps was given another value"
    assert session.run_to_end() == 0


def test_what_the_user_changes_while_paused_is_no_change_of_a_line(session: RepeatingSession) -> None:
    started(session, "in-place")
    watch(session, "x")
    session.resume()
    stop_at(session, "in-place")
    session.evaluate("x.zero_()", "repl")
    session.resume()
    assert "before: all 0 f32[3]" in stop_at(session, "item")["text"]
    session.request("setDataBreakpoints", breakpoints=[])
    assert session.run_to_end() == 0


def test_line_breakpoints_work_beside_it(session: RepeatingSession) -> None:
    started(session, "begin")
    watch(session, "x")
    session.resume()
    stop_at(session, "in-place")
    session.request(
        "setBreakpoints", source={"path": str(PATH)}, breakpoints=[{"line": line_of("view", PATH)}]
    )
    session.resume()
    stop_at(session, "item")
    session.resume()
    stop_at(session, "inside")
    session.resume()
    stop = session.wait_for_stop()
    assert (stop.event["reason"], stop.line) == ("breakpoint", line_of("view", PATH))
    session.resume()
    stop_at(session, "view")
    session.request("setBreakpoints", source={"path": str(PATH)}, breakpoints=[])
    session.request("setDataBreakpoints", breakpoints=[])
    assert session.run_to_end() == 0


def test_what_has_no_place_is_not_offered(session: RepeatingSession) -> None:
    started(session, "begin")
    x = session.locals()["x"]
    information = session.request(
        "dataBreakpointInfo", name="stats", variablesReference=x["variablesReference"]
    )
    assert information["dataId"] is None
    assert "has no place" in information["description"]


def test_an_identity_of_an_earlier_pause_is_refused(session: RepeatingSession) -> None:
    started(session, "begin")
    breakpoints = [{"dataId": "tensorpeek 99", "accessType": "write"}]
    answer = session.request("setDataBreakpoints", breakpoints=breakpoints)["breakpoints"][0]
    assert not answer["verified"]
    assert "pause that is over" in answer["message"]


@pytest.mark.parametrize("version", ["3.9", "3.10", "3.11", "3.12", "3.13"])
def test_plain_values_in_every_python(version: str) -> None:
    python = find_python(version)
    if python is None:
        pytest.skip(f"no Python {version} here")
    path = DEBUGGEES / "watched_number.py"
    libs = {"TENSORPEEK_BUNDLED_LIBS": str(Path(debugpy.__file__).parents[1])}
    with DebugSession(python=python, environment=libs) as session:
        session.launch(path, stops=["total"], python=python)
        session.wait_for_stop()
        session.request("setBreakpoints", source={"path": str(path)}, breakpoints=[])
        shown = session.locals()
        places = [
            ("total", session.scope()),
            ("number", shown["holder"]["variablesReference"]),
            ("'rate'", shown["settings"]["variablesReference"]),
        ]
        found = [
            session.request("dataBreakpointInfo", name=name, variablesReference=reference)["dataId"]
            for name, reference in places
        ]
        breakpoints = [{"dataId": identity, "accessType": "write"} for identity in found]
        session.request("setDataBreakpoints", breakpoints=breakpoints)
        for marker, before, after in (("total", "0", "2"), ("inside", "1", "2"), ("item", "1.0", "0.5")):
            session.resume()
            stop = session.wait_for_stop()
            assert (stop.event["reason"], stop.line) == ("data breakpoint", line_of(marker, path))
            assert stop.event["text"].splitlines()[1:] == [f"before: {before}", f"after: {after}"]
        session.request("setDataBreakpoints", breakpoints=[])
        assert session.run_to_end() == 0


@pytest.mark.parametrize("count", [50])
def test_the_question_is_answered_quickly(session: RepeatingSession, count: int) -> None:
    started(session, "begin")
    scope = session.scope()
    times = [
        session.client.timed("dataBreakpointInfo", name="x", variablesReference=scope)[0]
        for _ in range(count)
    ]
    assert sorted(times)[count // 2] < 0.05
