"""Values while paused: shown, changed and asked for as in plain debugpy, and stable across steps."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from harness import DebugSession, RepeatingSession, RepeatingSessions


@pytest.fixture(params=["tensorpeek", "debugpy"], scope="module")
def adapter(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def either(
    repeating_sessions: RepeatingSessions, request: pytest.FixtureRequest, adapter: str
) -> Iterator[RepeatingSession]:
    """The same test through our adapter and through plain debugpy, with programs that need no torch."""
    with repeating_sessions.lend(request, adapter, modules=()) as session:
        yield session


def test_set_variable(either: RepeatingSession) -> None:
    either.launch("values.py", stops=["end"])
    either.wait_for_stop()
    scope = either.scope()
    answer = either.request("setVariable", variablesReference=scope, name="text", value="'changed'")
    assert answer["value"] == "'changed'"
    box = either.expand(scope)["box"]
    answer = either.request(
        "setVariable", variablesReference=box["variablesReference"], name="content", value="[5]"
    )
    assert answer["value"] == "[5]"
    assert either.evaluate("box.content")["result"] == "[5]"
    numbers = either.expand(scope)["numbers"]
    either.request("setVariable", variablesReference=numbers["variablesReference"], name="0", value="9")
    assert either.evaluate("numbers[0]")["result"] == "9"
    assert either.evaluate("text")["result"] == "'changed'"


def test_set_expression(either: RepeatingSession) -> None:
    either.launch("values.py", stops=["end"])
    stop = either.wait_for_stop()
    answer = either.request("setExpression", expression="table['a']", value="[1, 2]", frameId=stop.frame)
    assert answer["value"] == "[1, 2]"
    assert [v["value"] for v in either.expand(answer).values()][-1] == "2"


def test_log_points_and_conditions(either: RepeatingSession) -> None:
    either.launch(
        "values.py",
        stops=[
            {"marker": "turn", "logMessage": "turn {turn}"},
            {"marker": "end", "condition": "len(numbers) == 8"},
        ],
    )
    either.wait_for_stop()
    assert either.output("stdout", "console").split() == [
        "turn",
        "0",
        "turn",
        "1",
        "turn",
        "2",
        "turn",
        "3",
        "turn",
        "4",
    ]


def test_hit_conditions(either: RepeatingSession) -> None:
    either.launch("values.py", stops=[{"marker": "turn", "hitCondition": "3"}])
    either.wait_for_stop()
    assert either.locals()["turn"]["value"] == "2"


def test_the_debug_console(either: RepeatingSession) -> None:
    either.launch("values.py", stops=["end"])
    stop = either.wait_for_stop()
    either.evaluate("added = numbers[:2]", "repl")
    assert either.evaluate("added", "repl")["result"] == "[1, 2]"
    assert either.evaluate("text", "clipboard")["result"] == "'plain'"
    failed = either.client.ask(
        "evaluate", {"expression": "nothing", "frameId": stop.frame, "context": "watch"}
    )
    assert "NameError" in failed["message"]


@pytest.mark.parametrize("context", ["repl", "hover", "clipboard", "variables", ""])
def test_two_results_of_one_expression_are_two_values(either: RepeatingSession, context: str) -> None:
    either.launch("values.py", stops=["end"])
    either.wait_for_stop()
    expression = "[numbers.pop()]"
    results = [either.evaluate(expression, context) for _ in range(3)]
    assert [either.expand(result)["0"]["value"] for result in results] == ["4", "3", "2"]
    inner = [either.evaluate(f"[{expression}]", context) for _ in range(2)]
    assert [either.expand(either.expand(r)["0"])["0"]["value"] for r in inner] == ["1", "0"]


def test_other_frames(either: RepeatingSession) -> None:
    either.launch("loop.py", stops=["return"])
    stop = either.wait_for_stop()
    point = either.locals(stop.frames[1]["id"])["point"]
    assert either.expand(point)["y"]["value"] == "2"


def test_tensors_say_what_they_are(repeating: RepeatingSession) -> None:
    session = repeating
    session.launch("tensors.py", stops=["here"])
    stop = session.wait_for_stop()
    values = session.locals()
    assert values["small"]["value"].startswith("f32[2,3] 0…5")
    assert values["broken"]["value"].startswith("NaN 1")
    assert values["small"]["__vscodeVariableMenuContext"] == "tensor"
    assert "__vscodeVariableMenuContext" not in values["number"]
    assert session.evaluate("small", "hover")["result"] == values["small"]["value"]
    assert session.evaluate("small", "repl")["result"].startswith("tensor([[0.")
    assert session.evaluate("small", "clipboard")["result"].startswith("tensor([[0.")
    answer = session.request("setExpression", expression="small", value="torch.ones(2)", frameId=stop.frame)
    assert answer["value"] == "all = 1 f32[2]"
    scope = session.scope()
    answer = session.request("setVariable", variablesReference=scope, name="small", value="torch.zeros(3)")
    assert answer["value"] == "all 0 f32[3]"


def test_colour_for_clients_that_have_it() -> None:
    with DebugSession(capabilities={"supportsANSIStyling": True}) as session:
        session.launch("tensors.py", stops=["here"])
        session.wait_for_stop()
        assert session.locals()["broken"]["value"].startswith("\x1b[31mNaN 1")
        assert session.evaluate("broken", "hover")["result"].startswith("\x1b[31mNaN 1")
        assert "\x1b" not in session.evaluate("broken", "repl")["result"]


def test_references_are_the_same_after_a_step(session: DebugSession) -> None:
    whole = {"valueBudgetMs": 10_000, "answerBudgetMs": 10_000}
    session.launch("tensors.py", stops=["here"], tensorpeek=whole)
    session.wait_for_stop()
    before = session.locals()
    inside = session.expand(before["batch"])
    session.next()
    after = session.locals()
    assert {n: v["variablesReference"] for n, v in after.items()} == {
        n: v["variablesReference"] for n, v in before.items()
    }
    assert session.expand(after["batch"]) == inside
    assert before["small"]["value"] != after["small"]["value"]


def test_the_mode_says_which_torch(session: DebugSession) -> None:
    import torch

    session.launch("tensors.py", stops=["here"])
    session.wait_for_stop()
    event = session.client.next_event(
        "tensorpeek/mode", where=lambda body: torch.__version__ in body["reason"]
    )
    assert event["mode"] == "active"
