"""Line conditions, hit counts and log messages in real sessions."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from harness import DebugSession, RepeatingSession
from harness.session import DEBUGGEES, line_of

CONDITIONS = DEBUGGEES / "conditions.py"
SPIKING = DEBUGGEES / "training" / "spiking.py"


def at(marker: str, path: Path = CONDITIONS, **texts: str) -> dict[str, Any]:
    return {"line": line_of(marker, path), **texts}


def stops(session: RepeatingSession, expression: str, *breakpoints: dict[str, Any]) -> list[str]:
    """The values of an expression at each stop of the whole program."""
    session.launch("conditions.py", breakpoints={str(CONDITIONS): list(breakpoints)})
    events, values = session.client.events, list[str]()
    while True:
        session.client.wait_until(
            lambda: len(events("stopped")) > len(values) or session.has_ended(), what="stop or end"
        )
        if len(events("stopped")) == len(values):
            return values
        session.wait_for_stop()
        values.append(session.evaluate(expression)["result"])
        session.resume()


@pytest.mark.parametrize(
    ("marker", "condition", "expression", "expected"),
    [
        ("loop", "tp.spike(loss)", "loss", ["50.0"]),
        ("loop", "tp.every(10) and loss < 2", "seen", ["9", "19", "29", "39"]),
        ("loop", "tp.changed(loss > 2)", "seen", ["40", "41"]),
        ("loop", "tp.outside(loss, 0, 2)", "seen", ["40"]),
        ("generator", "tp.max(value) >= 2", "value", ["2", "3"]),
        ("class", "tp.every(2)", "member", ["1", "3"]),
        ("module", "tp.step() > 3", "number", ["4", "5"]),
        ("comprehension", "any(tp.norm(s) > 30 for s in squares)", "number", []),
    ],
)
def test_it_stops_where_the_condition_holds_and_nowhere_else(
    repeating_plain: RepeatingSession, marker: str, condition: str, expression: str, expected: list[str]
) -> None:
    assert stops(repeating_plain, expression, at(marker, condition=condition)) == expected
    assert repeating_plain.output("stderr") == ""


@pytest.fixture(scope="module")
def bare_spiking() -> str:
    """What that training says when nobody debugs it."""
    command = [sys.executable, str(SPIKING)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("just_my_code", [True, False])
def test_a_spike_of_a_real_training(
    session: DebugSession, tmp_path: Path, bare_spiking: str, just_my_code: bool
) -> None:
    breakpoints = {
        str(SPIKING): [
            at("zero", SPIKING, condition="tp.spike(loss)"),
            at("weight", SPIKING, logMessage="5 % at {tp.step()}: {tp.line(w)}", condition="tp.every(40)"),
        ]
    }
    session.launch("training/spiking.py", breakpoints=breakpoints, cwd=str(tmp_path), justMyCode=just_my_code)
    stop = session.wait_for_stop(60)
    assert session.evaluate("step", "repl")["result"] == "60"
    assert stop.event["reason"] == "breakpoint"
    assert stop.event["description"].startswith("loss ")
    assert "usual" in stop.event["description"]
    assert len(stop.event["description"]) <= 31
    assert "spreads above the usual" in stop.event["text"]
    assert f"spiking.py:{stop.line}: {stop.event['text']}\n" in session.output("console")
    assert session.run_to_end(60) == 0
    messages = [line for line in session.output("stdout").splitlines() if line.startswith("5 % at ")]
    assert [message.partition(":")[0] for message in messages] == ["5 % at 40", "5 % at 80"]
    assert "f32[16,8]" in messages[0]
    assert bare_spiking in session.output("stdout"), "the training is the same, bit for bit"
    log = next(tmp_path.glob(".tensorpeek/runs/*/training.log")).read_text("utf-8").splitlines()
    assert [line.split()[1] for line in log] == ["INFO", "INFO"]
    assert log[0].endswith(f"spiking.py:{line_of('weight', SPIKING)}: {messages[0]}")


def test_hit_count_and_condition_hold_together(repeating_plain: RepeatingSession) -> None:
    values = [*(1.0 + 0.1 * ((index * 37) % 17) / 17 for index in range(40)), 50.0, 1.0, 1.1]
    holds = [index for index, loss in enumerate(values) if loss > 1.05]
    both = at("loop", condition="loss > 1.05", hitCondition="% 10")
    assert stops(repeating_plain, "seen", both, at("trained", hitCondition="1")) == [
        str(holds[9]), str(holds[19]), "43",
    ]  # fmt: skip


def test_what_cannot_work_is_refused_in_its_place(repeating_plain: RepeatingSession) -> None:
    given = [
        at("loop", condition="tp.spik(loss)"),
        at("trained"),
        at("module", condition="number ="),
        at("generator", condition="tp.spike(value)"),
        at("class", logMessage="{tp.line()}"),
        at("comprehension", hitCondition="often"),
    ]
    repeating_plain.launch("conditions.py", configuration_done=False)
    answers = repeating_plain.request("setBreakpoints", source={"path": str(CONDITIONS)}, breakpoints=given)
    answers = answers["breakpoints"]
    assert [answer["verified"] for answer in answers] == [False, True, False, True, False, True]
    assert [answer["line"] for answer in answers] == [each["line"] for each in given]
    assert answers[0]["message"] == "There is no tp.spik; did you mean tp.spike?"
    assert answers[2]["message"].startswith("This is not Python")
    assert answers[3]["message"] == "Watches 20 values first, then stops."
    assert answers[4]["message"] == "In {tp.line()}: x is missing: tp.line(x)"
    assert "message" not in answers[1]
    repeating_plain.begin()
    stop = repeating_plain.wait_for_stop()
    assert stop.line == given[1]["line"]
    assert repeating_plain.run_to_end() == 0


def test_a_failing_condition_is_told_once_and_does_not_stop(repeating_plain: RepeatingSession) -> None:
    assert stops(repeating_plain, "seen", at("loop", condition="loss.nothing > 3"), at("trained")) == ["43"]
    line = line_of("loop", CONDITIONS)
    assert repeating_plain.output("stderr") == (
        f"conditions.py:{line}: the condition `loss.nothing > 3` failed and does not stop here: "
        "AttributeError: 'float' object has no attribute 'nothing'\n"
    )


def test_breakpoints_set_again_while_paused_go_on_counting(repeating_plain: RepeatingSession) -> None:
    every = at("loop", condition="tp.every(20)")
    repeating_plain.launch(
        "conditions.py", breakpoints={str(CONDITIONS): [at("loop", condition="seen == 9"), every]}
    )
    # pydevd keeps one breakpoint per line, the last.
    repeating_plain.wait_for_stop()
    assert repeating_plain.evaluate("seen")["result"] == "19"
    source = {"path": str(CONDITIONS)}
    repeating_plain.request("setBreakpoints", source=source, breakpoints=[every, at("trained")])
    repeating_plain.resume()
    repeating_plain.wait_for_stop()
    assert repeating_plain.evaluate("seen")["result"] == "39"
    repeating_plain.request(
        "setBreakpoints", source=source, breakpoints=[at("loop", condition="tp.every(2)")]
    )
    repeating_plain.resume()
    repeating_plain.wait_for_stop()
    assert repeating_plain.evaluate("seen")["result"] == "41", "another text begins anew"
    assert repeating_plain.run_to_end() == 0


def test_a_tp_of_the_programs_own_is_left_to_it(session: DebugSession, tmp_path: Path) -> None:
    program = tmp_path / "own.py"
    program.write_text("tp = 3\nfor tp in range(4):\n    x = float(tp)\nprint(x)\n")
    breakpoints = {str(program): [{"line": 3, "condition": "tp.bit_length() == 2"}]}
    session.launch(program, breakpoints=breakpoints)
    session.wait_for_stop()
    assert session.evaluate("tp")["result"] == "2"


def test_many_log_messages_are_throttled_and_none_is_lost(session: DebugSession, tmp_path: Path) -> None:
    program = tmp_path / "loop.py"
    program.write_text("for i in range(3000):\n    x = i\n")
    breakpoints = {str(program): [{"line": 2, "logMessage": "i={i}"}]}
    session.launch(program, breakpoints=breakpoints, cwd=str(tmp_path))
    assert session.run_to_end(60) == 0
    lines = [line for line in session.output("stdout").splitlines() if line.startswith("i=")]
    assert lines[:2] == ["i=0", "i=1"]
    assert lines[-1].startswith("i=2999   (")
    assert len(lines) < 200
    assert not (tmp_path / ".tensorpeek").exists(), "a program without torch has no run folder"
