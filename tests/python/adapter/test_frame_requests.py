"""The requests of ours about a paused frame."""

from __future__ import annotations

import pytest

from harness import DEBUGGEES, DebugSession, RepeatingSession, RequestFailed, line_of

PROGRAM = DEBUGGEES / "tensors.py"


def inline_values(session: DebugSession, frame: int) -> dict[int, list[str]]:
    body = session.request(
        "tensorpeek/inlineValues", frameId=frame, path=str(PROGRAM), startLine=1, endLine=1000
    )
    lines: dict[int, list[str]] = {}
    for value in body["values"]:
        lines.setdefault(value["line"], []).append(value["text"])
    return lines


def test_values_at_the_ends_of_lines(session: DebugSession) -> None:
    session.launch(PROGRAM, stops=["here"], tensorpeek={"answerBudgetMs": 10_000})
    stop = session.wait_for_stop()
    lines = inline_values(session, stop.frame)
    here = line_of("here", PROGRAM)
    assert lines[here] == ["small f32[2, 3]"]
    assert lines[here - 5][0].startswith("broken NaN 1")
    assert max(lines) == here
    assert inline_values(session, stop.frame) == lines


def test_they_are_asked_anew_after_a_step_and_a_change(repeating: RepeatingSession) -> None:
    repeating.launch(PROGRAM, stops=["here"])
    stop = repeating.wait_for_stop()
    here = line_of("here", PROGRAM)
    inline_values(repeating, stop.frame)
    repeating.request("setExpression", expression="small", value="torch.zeros(9)", frameId=stop.frame)
    assert "[9]" in inline_values(repeating, stop.frame)[here][0]
    stop = repeating.next()
    assert "[9]" in inline_values(repeating, stop.frame)[here][0]


def test_only_the_lines_and_the_file_that_are_shown(repeating: RepeatingSession) -> None:
    repeating.launch(PROGRAM, stops=["here"])
    stop = repeating.wait_for_stop()
    here = line_of("here", PROGRAM)
    body = repeating.request(
        "tensorpeek/inlineValues", frameId=stop.frame, path=str(PROGRAM), startLine=here, endLine=here
    )
    assert [value["line"] for value in body["values"]] == [here]
    body = repeating.request(
        "tensorpeek/inlineValues",
        frameId=stop.frame,
        path=str(DEBUGGEES / "loop.py"),
        startLine=1,
        endLine=99,
    )
    assert body["values"] == []


def test_the_table_of_tensors(repeating: RepeatingSession) -> None:
    repeating.launch(PROGRAM, stops=["here"])
    stop = repeating.wait_for_stop()
    table = repeating.request("tensorpeek/tensors", frameId=stop.frame)
    rows = {row["expression"]: row for row in table["rows"]}
    assert table["path"] == str(PROGRAM)
    assert {"small", "broken", "weight", "large"} <= set(rows)
    assert any("batch" in expression for expression in rows)
    assert rows["small"]["shape"] == [2, 3]
    assert rows["small"]["line"] == line_of("here", PROGRAM) - 6
    assert rows["broken"]["alarm"]


def test_a_frame_that_is_not_there(session: DebugSession) -> None:
    session.launch(PROGRAM, stops=["here"])
    stop = session.wait_for_stop()
    with pytest.raises(RequestFailed):
        session.request("tensorpeek/tensors", frameId=987654)
    session.resume()
    session.client.next_event("terminated")
    with pytest.raises(RequestFailed):
        session.request("tensorpeek/tensors", frameId=stop.frame)
