"""The probe inside plain debugpy, where pydevd has shown values before the probe arrives."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from harness import BACKEND, DebugSession
from tensorpeek.contract.envelope import unwrap

INJECT = BACKEND / "tensorpeek" / "probe" / "inject.py"
CONFIGURATION = {"valueBudgetMs": 20, "answerBudgetMs": 60}


class Probed(DebugSession):
    """A plain session that speaks to the probe as the adapter does."""

    def inject(self) -> dict[str, Any]:
        space = {"__name__": "tensorpeek_inject", "__file__": str(INJECT)}
        run = "exec(compile(open(n['__file__'], 'rb').read(), n['__file__'], 'exec'), n)"
        return self._reply(f"(lambda n: {run} or n['install']({json.dumps(CONFIGURATION)!r}))({space!r})")

    def probe(self, command: str, **arguments: Any) -> dict[str, Any]:
        door = '__import__("sys").modules["tensorpeek.probe.entry (debugger)"]'
        return self._reply(f"{door}.handle({command!r}, {json.dumps(arguments)!r})")

    def _reply(self, expression: str) -> dict[str, Any]:
        reply = json.loads(self.request("evaluate", expression=expression, context="repl")["result"])
        assert reply["ok"], reply
        return reply["body"]


def text(variable: dict[str, Any]) -> str:
    value = variable.get("value", variable.get("result"))
    presentation = unwrap(value)
    return value if presentation is None else presentation["text"]


@pytest.fixture(scope="module")
def session() -> Iterator[Probed]:
    with Probed("debugpy") as session:
        session.launch("probed.py", stops=["first", "second"])
        session.wait_for_stop(60)
        before = session.locals()
        assert before["small"]["value"].startswith("tensor(")
        session.inject()
        yield session


def test_values_shown_before_are_shown_anew(session):
    shown = session.locals()
    assert text(shown["small"]) == "f32[2,3] 0…5 μ2.5 σ1.87"
    assert text(shown["model"]) == "Sequential 14 params train 56 B + 3 buffers 24 B"
    assert text(shown["optimizer"]).startswith("SGD lr 0.1")
    assert text(shown["batch"]).startswith("NaN 1 in ['y'][0] {x: f32[2,3]")
    assert shown["numbers"]["value"].startswith("[0, 1, 2, ")
    assert shown["plain"]["value"] == "{'a': 1}"
    assert unwrap(shown["large"]["value"])["pending"]
    assert unwrap(shown["slow"]["value"]) == {
        "text": "Slow <slow repr>", "kind": "other", "style": "faint", "lazy": True,
    }  # fmt: skip


def test_injecting_again_changes_nothing(session):
    assert session.inject()["problem"] == ""
    assert text(session.locals()["small"]).startswith("f32[2,3]")


def test_the_console_and_the_clipboard_keep_pythons_text(session):
    assert session.evaluate("small", "repl")["result"].startswith("tensor([[")
    assert session.evaluate("small", "clipboard")["result"].startswith("tensor([[")
    assert text(session.evaluate("small", "hover")).startswith("f32[2,3]")


@pytest.mark.parametrize("context", ["repl", "clipboard", "hover"])
@pytest.mark.parametrize("size", [0, 4])
def test_printing_a_tensor_whose_memory_was_freed_does_not_end_the_program(session, context, size):
    freed = f"(lambda t: (t.untyped_storage().resize_({size}), t)[1])(small.clone())"
    assert "storage" in text(session.evaluate(freed, context))


def test_a_repr_that_exits_keeps_its_class_provided_for(session):
    for _ in range(2):
        assert text(session.locals()["broken"]) == "<Broken: __repr__ raised SystemExit>"


def test_summaries_and_refinement_find_values_by_reference(session):
    large = session.locals()["large"]["variablesReference"]
    (line,) = session.probe("summarize", references=[large], budgetMs=60)["presentations"]
    assert line["text"].startswith(("f32[20000000]", "all 0 f32[20000000]"))
    result: dict[str, Any] = {"done": False}
    while not result["done"]:
        result = session.probe("refine", reference=large, sliceMs=20)
    assert result["presentation"] == {
        "text": "all 0 f32[20000000]", "kind": "tensor", "alarm": "all 0",
    }  # fmt: skip


@pytest.mark.parametrize("change", ["console", "watch", "setVariable", "setExpression"])
def test_what_was_made_exact_stays_so_until_it_may_have_changed(session, change):
    large = session.locals()["large"]
    while not session.probe("refine", reference=large["variablesReference"], sliceMs=100)["done"]:
        pass
    session.evaluate("large", "repl")
    session.evaluate("small.shape[0]", "hover")
    assert text(session.locals()["large"]) == "all 0 f32[20000000]"
    if change == "setVariable":
        plain = session.locals()["plain"]["variablesReference"]
        session.request("setVariable", variablesReference=plain, name="'a'", value="1")
    elif change == "setExpression":
        session.request("setExpression", expression="large[7]", value="0", frameId=session.stop.frame)
    else:
        session.evaluate("large[7:8].zero_()", "repl" if change == "console" else "watch")
    assert unwrap(session.locals()["large"]["value"])["pending"]


def test_a_storage_says_which_names_share_it(session):
    view = session.evaluate("small[1:]", "watch")
    assert text(session.expand(session.expand(view)["storage"])["shared with"]) == "small"


def test_a_slow_repr_is_shown_when_it_is_there(session):
    slow = session.locals()["slow"]
    result: dict[str, Any] = {"done": False}
    while not result["done"]:
        result = session.probe("refine", reference=slow["variablesReference"], sliceMs=50)
    assert result["presentation"]["text"].startswith("Slow(...) <repr took 1.")
    assert text(session.locals()["slow"]) == "Slow <slow repr, 1 s>"


def test_replies_longer_than_pydevds_strings_come_whole(session):
    rows = session.probe("tensors", frameId=session.stop.frame, budgetMs=2000)["rows"]
    assert len(json.dumps(rows)) > 65_536 * 2
    assert {"small", "many[899]", "model[0].weight"} <= {row["expression"] for row in rows}


def test_lines_of_names(session):
    names = ["small", "batch", "unknown.x"]
    texts = session.probe("lines", frameId=session.stop.frame, expressions=names, budgetMs=60)["texts"]
    assert texts == ["f32[2, 3]", "NaN 1 {x: f32[2,3], y: [f32[2]]}", ""]


def test_expressions_of_children_yield_what_their_rows_show(session):
    shown = session.locals()
    linear = session.expand(shown["model"])["0"]
    assert linear["evaluateName"] == "model[0]"
    for row in session.expand(linear).values():
        if row["name"] in ("weight", "bias", "training", "in_features"):
            assert text(session.evaluate(row["evaluateName"], "watch")) == text(row)
    group = session.expand(shown["numbers"])["[900…999]"]
    assert session.expand(group)["[907]"]["evaluateName"] == "numbers[907]"


@pytest.mark.parametrize(
    ("path", "value", "check"),
    [
        (["model", "1"], ("training", "False"), "model[1].training"),
        (["optimizer", "group 0"], ("'lr'", "0.5"), "optimizer.param_groups[0]['lr']"),
        (["numbers", "[100…199]"], ("[107]", "-1"), "numbers[107]"),
        (["plain"], ("'a'", "5"), "plain['a']"),
        (["batch"], ("'z'", None), ""),
    ],
)
def test_children_can_be_set(session, path, value, check):
    reference = session.locals()[path[0]]
    for name in path[1:]:
        reference = session.expand(reference)[name]
    name, new = value
    if new is None:
        assert name not in session.expand(reference)
        return
    session.request("setVariable", variablesReference=reference["variablesReference"], name=name, value=new)
    assert session.evaluate(check, "repl")["result"] == new


def test_a_local_can_be_set_to_a_tensor(session):
    answer = session.request(
        "setVariable", variablesReference=session.scope(), name="plain", value="small * 2"
    )
    assert text(answer) == "f32[2,3] 0…10 μ5 σ3.74"


def test_our_threads_are_not_the_users(session):
    threads = session.request("threads")["threads"]
    assert [thread["name"] for thread in threads] == ["MainThread"]
    names = session.evaluate("[t.name for t in __import__('threading').enumerate()]", "repl")["result"]
    assert "TensorPeek" not in names


def test_going_on_lets_go_of_every_value_and_reference(session):
    large = session.locals()["large"]["variablesReference"]
    session.probe("summarize", references=[large], budgetMs=1)
    session.request("continue", threadId=session.stop.thread)
    session.wait_for_stop()
    assert "large" not in session.locals()  # until then the frame's own dictionary of locals holds it
    assert session.evaluate("gone() is None", "repl")["result"] == "True"
    (line,) = session.probe("summarize", references=[large], budgetMs=1)["presentations"]
    assert line["text"] == ""
    assert text(session.locals()["small"]).startswith("f32[2,3]")


def test_many_questions_at_once_are_all_answered(session):
    """The panel and the editor ask at the same time, from two of pydevd's threads."""
    answers: list[str] = []
    reference = session.scope()

    def ask() -> None:
        for _ in range(10):
            seen = session.request("variables", variablesReference=reference)["variables"]
            answers.extend(text(variable) for variable in seen if variable["name"] == "small")

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert answers == ["f32[2,3] 0…5 μ2.5 σ1.87"] * 30
