"""Training-wide conditions as check boxes: set, edited, refused, stopped at, and acted upon."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from harness import DEBUGGEES, DebugSession, RepeatingSession, line_of

PATIENCE = 90.0
"""Seconds; importing torch takes its time on a busy machine."""
pytestmark = pytest.mark.timeout(300)

PROGRAM = DEBUGGEES / "going_wrong.py"
SPIKE = {"filterId": "tp.loss-spike", "condition": "factor=8 window=20 warmup=8 cooldown=1"}
NAN = {"filterId": "tp.nan-gradient"}
UNCAUGHT = {"filterId": "uncaught"}


def test_a_spike_stops_at_backward_again_after_its_cool_down_and_no_more_when_it_is_unticked() -> None:
    with DebugSession() as session:
        capabilities = session.initialize()
        boxes = {box["filter"]: box for box in capabilities["exceptionBreakpointFilters"]}
        assert list(boxes)[:3] == ["raised", "uncaught", "userUnhandled"]
        assert capabilities["supportsExceptionFilterOptions"]
        assert boxes["tp.loss-spike"]["conditionDescription"].startswith("factor=8")
        assert not boxes["tp.nan-loss"]["supportsCondition"]
        session.launch(PROGRAM, args=["spike", "60"], exceptions=[SPIKE])
        stop = session.wait_for_stop(PATIENCE)
        assert (stop.line, stop.frames[0]["name"]) == (line_of("backward", PROGRAM), "train")
        assert "spike" in stop.event["description"].lower()
        assert session.evaluate("step")["result"] == "14"
        found = session.client.next_event("tensorpeek/finding")
        assert (found["condition"], found["step"], found["stopped"]) == ("loss-spike", 14, True)
        info = session.request("exceptionInfo", threadId=stop.thread)
        assert info["exceptionId"] == found["title"]
        assert "step 14" in info["description"]
        state = session.request("tensorpeek/training")
        assert (state["step"], state["losses"][0]["name"]) == (14, "loss")
        assert len(state["findings"]) == 1
        answers = session.set_exceptions(
            [
                UNCAUGHT,
                {"filterId": "tp.loss-spike", "condition": "size=5"},
                {"filterId": "tp.nan-los"},
                SPIKE,
            ]
        )
        assert [each["verified"] for each in answers] == [True, False, False, True]
        assert "size" in answers[1]["message"]
        assert "tp.nan-loss" in answers[2]["message"]
        session.resume()
        session.wait_for_stop(PATIENCE)
        assert session.evaluate("step")["result"] == "29"
        assert session.set_exceptions([]) == []
        assert session.run_to_end(PATIENCE) == 0
        assert "finite" in session.output()


def test_before_the_step_it_can_be_skipped_and_the_weights_stay_clean() -> None:
    with DebugSession() as session:
        session.launch(PROGRAM, args=["nan", "8"], exceptions=[UNCAUGHT, NAN], stops=["trained"])
        stop = session.wait_for_stop(PATIENCE)
        assert stop.event["reason"] == "exception"
        assert stop.event["description"] == "NaN in gradients"
        assert stop.line == line_of("step", PROGRAM)
        assert session.evaluate("bool(torch.isfinite(model[0].weight).all())")["result"] == "True"
        assert session.evaluate("tp.finding['step']", "watch")["result"] == "5"
        assert session.evaluate("tp.norm(model[0].weight) > 0", "hover")["result"] == "True"
        # The name is there while an expression is evaluated, and never for the program.
        assert session.evaluate("'t' + 'p' in dir(__import__('builtins'))")["result"] == "False"
        assert "change nothing" in session.evaluate("tp.skip_step()", "repl")["result"]
        session.resume()
        assert session.wait_for_stop(PATIENCE).line == line_of("trained", PROGRAM)
        assert "step 5 changed nothing" in session.output()
        assert session.run_to_end(PATIENCE) == 0
        assert "finite" in session.output()


def test_an_action_is_asked_for_by_a_request_too(repeating: RepeatingSession) -> None:
    repeating.launch(PROGRAM, args=["thread nan", "8"], exceptions=[NAN])
    repeating.wait_for_stop(PATIENCE)
    said = repeating.request("tensorpeek/trainingAction", action="setLearningRate", value=0.5)
    assert "0.5" in said["message"]
    assert repeating.evaluate("optimizer.param_groups[0]['lr']")["result"] == "0.5"
    assert repeating.request("tensorpeek/trainingAction", action="skipStep")["path"] == ""
    assert repeating.run_to_end(PATIENCE) == 0
    assert "step 5 changed nothing" in repeating.output()
    assert "finite" in repeating.output()


def test_debugpys_boxes_keep_working_beside_ours(repeating: RepeatingSession) -> None:
    repeating.launch(PROGRAM, args=["caught", "2"], exceptions=[{"filterId": "raised"}, NAN])
    stop = repeating.wait_for_stop(PATIENCE)
    assert stop.line == line_of("raise", PROGRAM)
    info = repeating.request("exceptionInfo", threadId=stop.thread)
    assert (info["exceptionId"], info["description"]) == ("LookupError", "nothing is wrong")
    scopes = repeating.request("scopes", frameId=stop.frame)["scopes"]
    assert [scope["name"] for scope in scopes] == ["Locals", "Globals"]


@pytest.mark.parametrize("way", ["memory", "thread memory"])
@pytest.mark.parametrize("others", [[], ["uncaught"]], ids=["alone", "with uncaught"])
def test_a_failed_allocation_stops_once_at_its_line_after_the_fact(way: str, others: list[str]) -> None:
    with DebugSession() as session:
        session.launch(PROGRAM, args=[way, "8"], exceptions=["tp.out-of-memory", *others])
        stop = session.wait_for_stop(PATIENCE)
        assert stop.line == line_of("memory", PROGRAM)
        assert stop.event["description"] == "Out of memory"
        assert session.evaluate("step")["result"] == "3"
        info = session.request("exceptionInfo", threadId=stop.thread)
        assert info["exceptionId"] == "Out of memory"
        assert session.run_to_end(PATIENCE) == (0 if way.startswith("thread") else 1)
        assert len(session.client.events("stopped")) == 1


@pytest.mark.parametrize("boxes", [["tp.shape-error", "uncaught"], ["uncaught"]], ids=["ticked", "unticked"])
def test_shapes_that_do_not_fit_stop_once_and_are_explained_in_the_users_names(boxes: list[str]) -> None:
    with DebugSession() as session:
        session.launch(PROGRAM, args=["shape", "8"], exceptions=boxes)
        stop = session.wait_for_stop(PATIENCE)
        assert (stop.line, stop.frames[0]["name"]) == (line_of("shape", PROGRAM), "loss_of")
        info = session.request("exceptionInfo", threadId=stop.thread)
        assert info["exceptionId"] == stop.event["description"] == "Matrices do not fit"
        assert "`outputs` [16, 1] and `weights` [16] can't be multiplied" in info["description"]
        assert f"line {line_of('shape', PROGRAM) - 1}" in info["details"]["stackTrace"]
        rows = session.expand(session.scope("Finding"))
        assert "f32[16]" in rows["weights"]["value"]
        # Where no box is ticked nothing is put into torch that would count the steps.
        step = session.client.next_event("tensorpeek/finding")["step"]
        assert step == (3 if "tp.shape-error" in boxes else -1)
        assert ("step" in info["description"]) == (step >= 0)
        assert session.run_to_end(PATIENCE) == 1
        assert len(session.client.events("stopped")) == 1


def test_ctrl_c_while_stopped_ends_the_program_as_it_would_without_us() -> None:
    with DebugSession() as session:
        session.launch(PROGRAM, args=["nan", "8"], exceptions=[NAN])
        session.wait_for_stop(PATIENCE)
        os.kill(session.process_id(), signal.SIGINT)
        session.stop = None
        assert session.run_to_end(PATIENCE) != 0
        assert "KeyboardInterrupt" in session.output()
        assert "done" not in session.output()


@pytest.mark.parametrize("request_name", ["terminate", "disconnect"])
def test_a_session_ends_while_we_have_stopped_it(request_name: str) -> None:
    with DebugSession() as session:
        session.launch(PROGRAM, args=["nan", "8"], exceptions=[NAN])
        session.wait_for_stop(PATIENCE)
        session.client.ask(request_name)
        if request_name == "terminate":
            session.client.next_event("terminated")


def test_a_capsule_brings_the_same_script_back_to_its_step(tmp_path: Path) -> None:
    settings = {"runsFolder": str(tmp_path)}
    with DebugSession() as session:
        session.launch(PROGRAM, args=["nan", "8"], exceptions=[NAN], tensorpeek=settings)
        session.wait_for_stop(PATIENCE)
        inputs = session.evaluate("inputs.sum().item()")["result"]
        saved = session.request("tensorpeek/trainingAction", timeout=PATIENCE, action="saveCapsule")
        assert Path(saved["path"]).parent.parent == tmp_path
    with DebugSession() as session:
        session.launch(PROGRAM, args=["nan", "8"], tensorpeek={**settings, "capsule": saved["path"]})
        stop = session.wait_for_stop(PATIENCE)
        assert (stop.event["reason"], stop.frames[0]["name"]) == ("entry", "loss_of")
        names = [scope["name"] for scope in session.request("scopes", frameId=stop.frame)["scopes"]]
        assert names == ["Locals", "Capsule", "Globals"]
        session.expand(session.scope("Capsule"))
        total = session.evaluate("sum(v.sum().item() for v in tp.values.values() if hasattr(v, 'sum'))")
        assert total["result"] == inputs
