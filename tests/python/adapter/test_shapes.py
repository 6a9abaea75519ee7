"""Shapes of a call are traced from a paused frame, and the program notices nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness import DEBUGGEES, DebugSession, RepeatingSession, line_of
from tensorpeek.runs import shapes_file

PATH = DEBUGGEES / "traced.py"


@pytest.fixture
def session(repeating: RepeatingSession) -> RepeatingSession:
    return repeating


def trace(session: RepeatingSession, expression: str = "", frame: int | None = None) -> dict[str, Any]:
    assert session.stop is not None
    frame = session.stop.frame if frame is None else frame
    return session.request("tensorpeek/traceShapes", frameId=frame, expression=expression)


def dims(result: dict[str, Any]) -> dict[str, list[str]]:
    """The dims of each traced name, by the name."""
    written = shapes_file.read(Path(result["path"]).parent)
    assert written is not None
    assert written["source"] == "frame"
    (file,) = [file for file in written["files"] if file["path"] == str(PATH)]
    return {name["name"]: name["values"][0]["dims"] for name in file["names"]}


def test_the_next_call_is_traced_and_the_program_is_as_before(session: RepeatingSession) -> None:
    session.launch(PATH, stops=["call"])
    session.wait_for_stop()
    state = "(torch.get_rng_state().sum().item(), net.calls, net.norm.num_batches_tracked.item())"
    before = session.evaluate(state)["result"]

    result = trace(session)

    assert (result["entry"], result["problem"]) == ("Net.forward(images)", "")
    shapes = dims(result)
    assert shapes["images"] == ["rows", "1", "8", "8"]
    assert shapes["flat"] == ["rows", "256"]
    assert session.evaluate(state)["result"] == before
    assert session.evaluate("Net.forward.__code__.co_consts[0]")["result"] == "None"
    session.resume()
    assert session.wait_for_stop().line == line_of("call", PATH)
    assert "call 2" not in session.output("stdout")


def test_breakpoints_and_steps_are_as_before(session: RepeatingSession) -> None:
    """Those in the traced functions do not stop the trace, and stop the program afterwards."""
    session.launch(PATH, stops=["call", "scaled", "inside"])
    session.wait_for_stop()
    assert trace(session)["problem"] == ""
    lines: list[int] = []
    for _ in range(3):
        session.resume()
        lines.append(session.wait_for_stop().line)
        assert trace(session)["problem"] == ""
    assert lines == [line_of(marker, PATH) for marker in ("scaled", "inside", "call")]
    session.request("setBreakpoints", source={"path": str(PATH)}, breakpoints=[])
    assert session.step_in().line == line_of("inside", PATH) - 4
    assert trace(session)["problem"] == ""
    assert session.next().line == line_of("inside", PATH) - 3
    assert session.run_to_end() == 0
    assert [line for line in session.output("stdout").splitlines() if "call" in line] == ["call 1", "call 2"]


def test_within_a_model_the_whole_model_is_traced(session: RepeatingSession) -> None:
    session.launch(PATH, stops=["scaled"])
    session.wait_for_stop()
    result = trace(session)
    assert (result["entry"], result["problem"]) == ("Net.forward(images)", "")
    assert dims(result)["flat"] == ["rows", "256"]


def test_an_expression_says_what_is_traced(session: RepeatingSession) -> None:
    session.launch(PATH, stops=["behind"])
    stop = session.wait_for_stop()
    assert dims(trace(session, "net(batch['images'][:5])"))["images"] == ["rows", "1", "8", "8"]
    # Behind the last call of a loop comes the one of its next turn.
    assert trace(session)["entry"] == "Net.forward(images)"
    for expression, problem in (
        ("net(batch['images'].float())", "are calls themselves"),
        ("scaled(logits)", "`scaled` is no model."),
        ("net(nothing)", "name 'nothing' is not defined"),
        ("net(batch['labels'])", "RuntimeError"),
        ("net", "`net` is no call"),
        ("net(", "is no expression"),
    ):
        assert problem in trace(session, expression)["problem"]
    assert trace(session, frame=stop.frame + 1000)["problem"] == "The program is no longer paused there."


def test_without_torch_nothing_is_traced(repeating_plain: RepeatingSession) -> None:
    session = repeating_plain
    session.launch("loop.py", stops=["add"])
    session.wait_for_stop()
    assert trace(session)["problem"] == "The program has not imported torch."


@pytest.mark.parametrize(
    ("stop", "step", "wanted", "is_traced"),
    [("behind", -6, True, True), ("inside", 1, True, False), ("behind", -6, False, False)],
)
def test_the_first_step_is_traced_where_nobody_stops(
    stop: str, step: int, wanted: bool, is_traced: bool, tmp_path: Path
) -> None:
    with DebugSession() as session:
        settings = {"runsFolder": str(tmp_path), "traceFirstStep": wanted}
        session.launch(PATH, stops=[stop], tensorpeek=settings)
        assert session.wait_for_stop().line == line_of(stop, PATH)
        code = session.evaluate("(Net if 'Net' in globals() else type(self)).forward.__code__.co_consts")
        assert "Recorder" not in code["result"]
        session.request("setBreakpoints", source={"path": str(PATH)}, breakpoints=[])
        assert session.next().line == line_of(stop, PATH) + step
        assert session.run_to_end() == 0
        assert "done" in session.output("stdout")
    written = shapes_file.newest(tmp_path)
    assert [trace["source"] for trace in written] == ["step"] * is_traced
