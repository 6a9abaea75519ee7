"""What is offered at a line, and what is said of a condition while it is edited."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.client import LanguageClient

from harness import DEBUGGEES
from tensorpeek.catalogue.functions import FUNCTIONS
from tensorpeek.catalogue.line_condition import ConditionProblem, check_condition
from tensorpeek.server import usage
from tensorpeek.server.explain_condition import explain_condition
from tensorpeek.server.source import Source
from tensorpeek.server.training_breakpoints import is_worth_watching, training_breakpoints

TRAIN = '''\
"""A training."""
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 1)

    def forward(self, x):
        """Runs."""
        hidden = torch.relu(self.fc(x))

        return hidden


def train(loader, criterion):
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(3):
        for x, y in loader:
            loss = criterion(
                model(x), y
            )
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if loss.item() > 10:
                break
'''
SOURCE = Source(TRAIN)


def line_with(text: str) -> int:
    return next(number for number, line in enumerate(TRAIN.splitlines()) if text in line)


def at(text: str) -> dict[str, Any]:
    found = training_breakpoints(SOURCE, line_with(text))
    assert found is not None
    return {
        "line": found["line"],
        **{entry["kind"]: entry for entry in found["entries"]},
        "all": found["entries"],
    }


@pytest.mark.parametrize(
    ("line", "first", "name"),
    [
        ("loss.backward()", "spike", "loss"),
        ("loss = criterion", "spike", "loss"),
        ("optimizer.step()", "grad_norm", "model"),
        ("for x, y in loader", "every", ""),
        ("hidden = torch", "nonfinite", "hidden"),
        ("return hidden", "nonfinite", "hidden"),
    ],
)
def test_the_best_entry_with_the_best_name_is_first(line: str, first: str, name: str) -> None:
    entry = at(line)["all"][0]
    assert entry["kind"] == first
    assert entry["names"][:1] == ([name] if name else [])


def test_every_entry_makes_a_condition_that_works() -> None:
    entries = at("loss.backward()")["all"]
    assert [entry["kind"] for entry in entries if entry["kind"] != "expression"].sort() == [
        info.name for info in FUNCTIONS if info.label
    ].sort()
    for entry in entries:
        assert entry["label"].endswith("…")
        assert entry["detail"].startswith("Stops when ")
        fields = {field["name"]: field["default"] for field in entry["fields"]}
        for name in entry["names"] or [""]:
            check_condition(entry["template"].format(name=name, **fields))


def test_names_are_of_the_right_kind() -> None:
    found = at("loss.backward()")
    assert found["grad_norm"]["names"][:2] == ["model", "optimizer"]
    assert "epoch" not in found["spike"]["names"]
    everything = {name for entry in found["all"] for name in entry["names"]}
    assert everything.isdisjoint({"torch", "nn", "Net", "range", "loader", "print"})


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("loss = criterion(", "optimizer.zero_grad()"),
        ("model(x), y", "optimizer.zero_grad()"),
        ("hidden = torch.relu", "return hidden"),
        ("loss.backward()", "loss.backward()"),
        ("def forward", "hidden = torch.relu"),
        ('"""Runs."""', '"""Runs."""'),
        ("def train", "model = Net()"),
        ("class Net", "super().__init__()"),
        ("if loss.item()", "if loss.item()"),
    ],
)
def test_the_line_is_one_that_can_be_stopped_at_with_the_value(line: str, meant: str) -> None:
    assert at(line)["line"] == line_with(meant)


def test_an_empty_line_means_the_next_one() -> None:
    assert training_breakpoints(SOURCE, line_with("return hidden") - 1)["line"] == line_with("return hidden")
    assert training_breakpoints(SOURCE, 500) is None


def test_an_unfinished_text_has_entries_without_names() -> None:
    found = training_breakpoints(Source("loss = (\n"), 0)
    assert found is not None
    assert all(entry["names"] == [] for entry in found["entries"])


def test_the_code_action_is_for_lines_about_losses_and_optimizers() -> None:
    worth = {n for n in range(len(TRAIN.splitlines())) if is_worth_watching(SOURCE, n)}
    assert {
        line_with("loss.backward()"),
        line_with("optimizer.step()"),
        line_with("loss = criterion"),
    } <= worth
    assert line_with("import torch") not in worth
    assert line_with("hidden = torch") not in worth


FILES = [*sorted((DEBUGGEES / "training").glob("*.py")), Path(usage.__file__)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_line_of_real_programs_has_an_answer(path: Path) -> None:
    source = Source(path.read_text("utf-8"))
    for line, text in enumerate(source.text.splitlines()):
        found = training_breakpoints(source, line)
        is_worth_watching(source, line)
        assert found is not None or not text.strip() or line > len(source.text.splitlines()) - 3
        if found is not None:
            for entry in found["entries"]:
                for name in entry["names"]:
                    check_condition(f"tp.nonfinite({name})")
    losses = [n for n, text in enumerate(source.text.splitlines()) if text.strip() == "loss.backward()"]
    for line in losses:
        assert training_breakpoints(source, line)["entries"][0]["names"][0] == "loss"


BACKWARD = line_with("loss.backward()")


@pytest.mark.parametrize(
    ("text", "completions"),
    [
        ("tp.sp", ["tp.spike(loss)"]),
        ("tp.spike(lo", ["tp.spike(loss)"]),
        ("tp.spike(loss, w", ["tp.spike(loss, window=50)", "tp.spike(loss, warmup=20)"]),
        ("tp.step() > 3 and tp.non", ["tp.step() > 3 and tp.nonfinite(loss)"]),
        ("opt", ["optimizer"]),
        ("tp.every(10)", []),
    ],
)
def test_completions(text: str, completions: list[str]) -> None:
    found = explain_condition(text, SOURCE, BACKWARD)
    assert [each["text"] for each in found["completions"]] == completions


def test_an_empty_box_offers_every_function_in_a_call_that_works() -> None:
    found = explain_condition("", SOURCE, BACKWARD)
    assert found["problem"] == ""
    texts = [each["text"] for each in found["completions"]]
    assert texts[0] == "tp.spike(loss)"
    assert len(texts) >= len(FUNCTIONS) - 1
    for text in texts:
        check_condition(text)


def test_problem_and_explanation() -> None:
    found = explain_condition("tp.spik(loss)", SOURCE, BACKWARD)
    assert (found["problem"], found["explanation"]) == ("There is no tp.spik; did you mean tp.spike?", "")
    found = explain_condition("tp.spike(loss)", SOURCE, BACKWARD)
    assert found["explanation"].startswith("Stops when loss is more than 8 spreads")
    found = explain_condition("tp.spike(loss)", SOURCE, line_with("loss = criterion("))
    found = explain_condition("loss > 3", Source("for i in range(3):\n    loss = i\n"), 1)
    assert "the value before that is seen" in found["explanation"]
    own = Source("tp = 3\nprint(tp)\n")
    assert explain_condition("tp.bit_length() == 2", own, 1)["problem"] == ""
    assert "`tp` of its own" in explain_condition("tp.every(3)", own, 1)["explanation"]


@given(st.text(max_size=40), st.integers(-5, 60))
def test_any_text_gets_an_answer(text: str, line: int) -> None:
    found = explain_condition(text, SOURCE, line)
    assert found["problem"] or found["explanation"]
    for each in found["completions"]:
        assert each["text"]
    try:
        check_condition(text)
    except ConditionProblem as problem:
        assert not text.strip() or found["problem"] == problem.sentence  # noqa: PT017 - or there is none


URI = "file:///train.py"


async def test_over_the_wire(client: LanguageClient) -> None:
    document = types.TextDocumentItem(uri=URI, language_id="python", version=1, text=TRAIN)
    client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=document))

    async def ask(method: str, **params: Any) -> Any:
        return await client.protocol.send_request_async(method, params)

    found = await ask("tensorpeek/trainingBreakpoints", uri=URI, line=BACKWARD)
    assert (found.line, found.entries[0].kind) == (BACKWARD, "spike")
    explained = await ask("tensorpeek/explainCondition", uri=URI, line=BACKWARD, text="tp.every(3)")
    assert explained.explanation == "Stops when the line is reached for each 3rd time."
    unread = await ask("tensorpeek/trainingBreakpoints", uri="file:///nowhere.py", line=0)
    assert unread is None
    with pytest.raises(JsonRpcException, match="expected uri"):
        await ask("tensorpeek/trainingBreakpoints", uri=URI)
    with pytest.raises(JsonRpcException, match="expected text"):
        await ask("tensorpeek/explainCondition", uri=URI, line=0)
    where = types.Range(types.Position(BACKWARD, 0), types.Position(BACKWARD, 0))
    actions = await client.text_document_code_action_async(
        types.CodeActionParams(
            types.TextDocumentIdentifier(URI), where, types.CodeActionContext(diagnostics=[])
        )
    )
    assert actions is not None
    # This client takes every action for a plain command, whose name is then the text of ours.
    assert [action.title for action in actions] == ["Add Training Breakpoint…"]
    command: Any = actions[0].command
    assert ast.literal_eval(command)["command"] == "tensorpeek.addTrainingBreakpoint"
    assert ast.literal_eval(command)["arguments"] == [URI, BACKWARD]
