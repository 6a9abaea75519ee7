"""A function breakpoint `module:…` stops in the user's frame that calls such a module."""

from __future__ import annotations

from typing import Any

import pytest

from harness import DEBUGGEES, RepeatingSession, line_of

PATH = DEBUGGEES / "modules.py"


@pytest.fixture
def session(repeating: RepeatingSession) -> RepeatingSession:
    return repeating


def launch(session: RepeatingSession, *breakpoints: dict[str, Any], steps: int = 3) -> list[dict[str, Any]]:
    session.launch("modules.py", args=[str(steps)], configuration_done=False)
    answer = session.request("setFunctionBreakpoints", breakpoints=list(breakpoints))
    session.begin()
    return answer["breakpoints"]


def named(name: str, **more: str) -> dict[str, Any]:
    return {"name": name, **more}


def stop_at(session: RepeatingSession, marker: str) -> dict[str, Any]:
    stop = session.wait_for_stop()
    assert stop.event["reason"] == "function breakpoint"
    assert (stop.frames[0]["source"]["path"], stop.line) == (str(PATH), line_of(marker, PATH))
    return stop.event


def values(session: RepeatingSession) -> dict[str, Any]:
    return session.expand(session.scope("Module"))


def test_it_stops_in_the_frame_that_called_with_inputs_and_output(session: RepeatingSession) -> None:
    answers = launch(session, named("module:layers.1"))
    assert answers == [
        {"verified": True, "message": "Stops when a module of this name is called; no model was seen yet."}
    ]
    event = stop_at(session, "layer")
    assert event["description"] == "layers.1 called"
    assert event["text"] == "layers.1 (Block) has returned."
    shown = values(session)
    assert list(shown) == ["x", "scale", "output", "module"]
    assert shown["output"]["value"].startswith("f32[2,4]")
    assert session.evaluate("tuple(x.shape)")["result"] == "(2, 4)"
    assert session.next().line == line_of("layer", PATH) - 1
    assert session.step_out().line == line_of("check", PATH)


def test_a_pattern_means_many_and_a_class_all_of_its_kind(session: RepeatingSession) -> None:
    launch(session, named("module:layers.*.attn"), named("module:Net"), steps=1)
    for _ in range(2):
        for _ in range(3):
            stop_at(session, "block")
            session.resume()
        assert session.wait_for_stop().event["description"] == "Net called"
        session.resume()
    assert session.run_to_end() == 0


def test_backward_stops_when_the_gradient_has_come(session: RepeatingSession) -> None:
    launch(session, named("module:layers.0 backward"), named("module:head [backward]"), steps=1)
    assert stop_at(session, "backward")["description"] == "head backward"
    session.resume()
    event = stop_at(session, "backward")
    assert f"called at {PATH}:{line_of('layer', PATH)}" in event["text"]
    assert "f32[2,4]" in values(session)["gradient"]["value"]
    assert session.next().line == line_of("step", PATH)
    assert session.run_to_end() == 0


def test_condition_and_hit_count_count_what_the_condition_lets_through(session: RepeatingSession) -> None:
    condition = "output.requires_grad and tp.norm(inputs[0]) > 0"
    launch(session, named("module:layers.2", condition=condition, hitCondition="2"), steps=3)
    stop_at(session, "layer")
    session.request("stackTrace", threadId=1)
    assert session.evaluate("step", frame=session.stop.frames[1]["id"])["result"] == "1"  # type: ignore[union-attr]
    assert session.run_to_end() == 0


def test_a_condition_that_fails_is_said_once_and_does_not_stop(session: RepeatingSession) -> None:
    launch(session, named("module:head", condition="nothing.there"), steps=3)
    assert session.run_to_end() == 0
    assert session.output().count("module:head: the condition `nothing.there` failed") == 1


@pytest.mark.parametrize("name", ["module:", "module: a b", "module:head [output >]"])
def test_what_can_never_work_is_refused(session: RepeatingSession, name: str) -> None:
    answers = launch(session, named(name), steps=1)
    assert not answers[0]["verified"]
    assert answers[0]["message"]
    assert session.run_to_end() == 0


def test_debugpys_function_breakpoints_keep_their_places(session: RepeatingSession) -> None:
    answers = launch(session, named("train"), named("module:head"), named("other"), steps=1)
    assert len(answers) == 3
    assert "message" in answers[1]
    assert session.wait_for_stop().frames[0]["name"].endswith("train")
    session.request("setFunctionBreakpoints", breakpoints=[named("module:head")])
    session.resume()
    stop_at(session, "head")


def test_set_while_it_runs_and_removed_while_it_is_paused(session: RepeatingSession) -> None:
    session.launch("modules.py", args=["3"], stops=["forward"])
    session.wait_for_stop()
    answers = session.request(
        "setFunctionBreakpoints", breakpoints=[named("module:layers.*"), named("module:layer")]
    )["breakpoints"]
    assert answers[0] == {"verified": True, "message": "9 modules of Net."}
    assert not answers[1]["verified"]
    assert "Net has no module of this name. Its modules are layers, layers.0," in answers[1]["message"]
    session.request("setBreakpoints", source={"path": str(PATH)}, breakpoints=[])
    session.resume()
    session.wait_for_stop()
    session.request("setFunctionBreakpoints", breakpoints=[])
    assert session.run_to_end() == 0


def test_what_is_evaluated_while_paused_does_not_stop(session: RepeatingSession) -> None:
    launch(session, named("module:head"), steps=1)
    stop_at(session, "head")
    assert "tensor" in session.evaluate("self.head(x)", "repl")["result"]


def test_nothing_changes_in_the_results(session: RepeatingSession) -> None:
    said: set[str] = set()
    for breakpoints in ([], [named("module:*", condition="0"), named("module:* backward", condition="0")]):
        launch(session, *breakpoints)
        assert session.run_to_end() == 0
        said.add(session.output("stdout"))
    assert len(said) == 1


def test_names_are_completed(session: RepeatingSession) -> None:
    session.launch("modules.py", args=["1"], stops=["backward"])
    stop = session.wait_for_stop()
    targets = session.request("completions", text="module:layers.1", column=16, frameId=stop.frame)["targets"]
    assert [target["label"] for target in targets] == [
        "module:layers.1",
        "module:layers.1.attn",
        "module:layers.1.act",
    ]
    assert session.request("completions", text="los", column=4, frameId=stop.frame)["targets"]
