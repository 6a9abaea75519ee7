"""Edited sizes against a traced pass: what is said to fail does fail, and what fits is not mentioned.

Every edit is made in the editor's text and run as well.
"""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from tensorpeek.probe.shapes.call import Target
from tensorpeek.probe.shapes.explicit import traced
from tensorpeek.server.documents import Documents
from tensorpeek.server.shapes.feature import Shapes

PROGRAM = Path(__file__).parents[3] / "debuggee" / "sized_layers.py"
TEXT = PROGRAM.read_text("utf-8")
FAILURES = (RuntimeError, ValueError, AssertionError)
Edits = list[tuple[str, str]]

SICK: dict[str, tuple[Edits, str]] = {
    # By what was edited: how, and the text that is marked.
    "linear": ([("nn.Linear(12, 24)", "nn.Linear(13, 24)")], "13"),
    "linear by keyword": ([("in_features=24", "in_features=25")], "25"),
    "linear, arithmetic": ([("nn.Linear(4 * 16 * 16, 5)", "nn.Linear(4 * 8 * 8, 5)")], "4 * 8 * 8"),
    "linear, names": ([("nn.Linear(4 * width", "nn.Linear(2 * width")], "2 * width"),
    "linear, output before it": ([("nn.Linear(12, 24)", "nn.Linear(12, 32)")], "24"),
    "linear, output directly into it": (
        [("nn.Linear(4 * width, width)", "nn.Linear(4 * width, 2 * width)")],
        "width",
    ),
    "convolution": ([("nn.Conv2d(3, 8", "nn.Conv2d(1, 8")], "1"),
    "convolution, output": ([("nn.Conv2d(3, 8", "nn.Conv2d(3, 16")], "8"),
    "convolution of one dim": ([("nn.Conv1d(20", "nn.Conv1d(24")], "24"),
    "transposed convolution": ([("ConvTranspose2d(8", "ConvTranspose2d(9")], "9"),
    "transposed convolution, output": ([("ConvTranspose2d(8, 4", "ConvTranspose2d(8, 6")], "4"),
    "batch norm": ([("BatchNorm2d(8)", "BatchNorm2d(16)")], "16"),
    "group norm": ([("GroupNorm(2, 4)", "GroupNorm(2, 8)")], "8"),
    "layer norm": ([("nn.LayerNorm(16)", "nn.LayerNorm((18,))")], "18"),
    "embedding": ([("nn.Embedding(50, 16)", "nn.Embedding(50, 17)")], "16"),
    "lstm": ([("nn.LSTM(16", "nn.LSTM(18")], "18"),
    "attention": ([("MultiheadAttention(20", "MultiheadAttention(24")], "24"),
    "first in a sequential": ([("Sequential(nn.Linear(12", "Sequential(nn.Linear(10")], "10"),
    "in a sequential": ([("nn.LayerNorm(32)", "nn.LayerNorm(30)")], "30"),
    "output in a sequential": ([("nn.Linear(12, 32)", "nn.Linear(12, 40)")], "32"),
    "output of a sequential": ([("nn.Linear(32, 10)", "nn.Linear(32, 12)")], "10"),
    "view": ([("x.view(b, t, 4, 3)", "x.view(b, t, 4, 4)")], "x.view(b, t, 4, 4)"),
    "reshape of a product": ([("reshape(b * t, 12)", "reshape(b * t, 11)")], "heads.reshape(b * t, 11)"),
    "view with a rest": ([("view(-1, 4 * 16 * 16)", "view(-1, 4 * 16 * 15)")], "x.view(-1, 4 * 16 * 15)"),
    "an edit below": (
        [("nn.Linear(12, 24)", "nn.Linear(13, 24)"), ("return x * 2", "return x * 3")],
        "13",
    ),
    "lines above, of nothing": (
        [("import torch\n", "# why\n\nimport torch\n"), ("Linear(12, 24)", "Linear(13, 24)")],
        "13",
    ),
}
HEALTHY: dict[str, Edits] = {
    "nothing": [],
    "what a layer makes, and what the next takes": [
        ("nn.Linear(12, 24)", "nn.Linear(12, 32)"),
        ("in_features=24", "in_features=32"),
    ],
    "a last layer": [("nn.Linear(10, 2)", "nn.Linear(10, 4)")],
    "all of a convolution": [
        ("nn.Conv2d(3, 8", "nn.Conv2d(3, 16"),
        ("BatchNorm2d(8)", "BatchNorm2d(16)"),
        ("ConvTranspose2d(8", "ConvTranspose2d(16"),
    ],
    "another spelling": [("nn.Linear(12, 24)", "nn.Linear(3 * 4, 24)")],
    "other arguments": [("8, 3, padding=1", "8, 5, padding=2")],
    "all of a sequential": [
        (
            "nn.Linear(12, 32), nn.ReLU(), nn.LayerNorm(32), nn.Linear(32",
            "nn.Linear(12, 8), nn.ReLU(), nn.LayerNorm(8), nn.Linear(8",
        )
    ],
    "names": [("nn.Linear(4 * width, width)", "nn.Linear(width * 4, width)")],
    "more units of an lstm": [("nn.LSTM(16, 20", "nn.LSTM(16, 20, num_layers=2")],
    "all of an lstm": [
        ("nn.LSTM(16, 20", "nn.LSTM(16, 24"),
        ("MultiheadAttention(20", "MultiheadAttention(24"),
        ("nn.Conv1d(20", "nn.Conv1d(24"),
    ],
    "more words": [("nn.Embedding(50", "nn.Embedding(70")],
    "all of an embedding": [
        ("nn.Embedding(50, 16)", "nn.Embedding(50, 32)"),
        ("nn.LayerNorm(16)", "nn.LayerNorm(32)"),
        ("nn.LSTM(16", "nn.LSTM(32"),
    ],
    "a view that fits": [("x.view(b, t, 4, 3)", "x.view(b, t, 3, 4)")],
    "a rest that fits": [("rows.view(-1, 6)", "rows.view(-1, 4)")],
    "another default": [("width=8", "width=16"), ("torch.randn(6, 32)", "torch.randn(6, 64)")],
    "another input": [
        ("nn.Linear(12, 24)", "nn.Linear(6, 24)"),
        ("x = self.first(x)", "x = self.first(x[:, :6])"),
    ],
    "something above": [
        ("4 * 16 * 16, 5)", "4 * 4 * 16, 5)"),
        ("x = self.group(x)", "x = self.group(x[..., :4])"),
        ("x.view(-1, 4 * 16 * 16)", "x.flatten(1)"),
    ],
    "heads": [("MultiheadAttention(20, 4", "MultiheadAttention(20, 5")],
    "twice, for itself": [("nn.Linear(12, 12)", "nn.Linear(12, 12, bias=False)")],
    "another class": [("nn.LayerNorm(16)", "nn.Identity(18)")],
}


@pytest.fixture(scope="module")
def trace() -> dict[str, Any]:
    program = runpy.run_path(str(PROGRAM))
    inputs: list[Any] = []
    program["Everything"].__call__ = lambda _model, *given: inputs.extend(given)
    program["call"]()
    del program["Everything"].__call__
    return dict(traced(Target("Everything.forward", program["Everything"](), None, tuple(inputs), {})))


def said_of(trace: dict[str, Any], folder: Path, text: str) -> list[types.Diagnostic]:
    run = folder / ".tensorpeek" / "runs" / "20261201-010000-sized"
    run.mkdir(parents=True)
    (run / "shapes.json").write_text(json.dumps(trace))
    said: list[types.Diagnostic] = []
    documents = Documents()
    documents.open(PROGRAM.as_uri(), text)
    shapes = Shapes(documents, lambda params: said.extend(params.diagnostics))
    shapes.read([folder])
    return [each for each in said if each.code == "shape-before-running"]


def edited(edits: Edits) -> str:
    text = TEXT
    for old, new in edits:
        assert text.count(old) == 1
        text = text.replace(old, new)
    return text


def run(text: str, folder: Path) -> None:
    path = folder / "edited.py"
    path.write_text(text)
    runpy.run_path(str(path))["call"]()


@pytest.mark.parametrize("case", SICK)
def test_what_can_not_fit_is_marked(case: str, trace: dict[str, Any], tmp_path: Path) -> None:
    edits, marked = SICK[case]
    text = edited(edits)
    [said] = said_of(trace, tmp_path, text)
    line = text.split("\n")[said.range.start.line]
    assert line[said.range.start.character : said.range.end.character] == marked
    assert "the traced pass Everything.forward of " in said.message
    with pytest.raises(FAILURES):
        run(text, tmp_path)


@pytest.mark.parametrize("case", HEALTHY)
def test_what_fits_is_not_mentioned(case: str, trace: dict[str, Any], tmp_path: Path) -> None:
    text = edited(HEALTHY[case])
    assert not said_of(trace, tmp_path, text)
    run(text, tmp_path)


def test_what_is_not_sure_is_not_said_although_it_fails(trace: dict[str, Any], tmp_path: Path) -> None:
    # The layer is used twice, and a name's value is not known.
    for number, (old, new) in enumerate(
        [("nn.Linear(12, 12)", "nn.Linear(11, 12)"), ("(width, 3)", "(wide, 3)")]
    ):
        assert not said_of(trace, tmp_path / str(number), edited([(old, new)]))


def test_nothing_is_said_once_another_traced_file_is_another(trace: dict[str, Any], tmp_path: Path) -> None:
    other = tmp_path / "other.py"
    other.write_text("x = 1\n")
    file = {**trace["files"][0], "path": str(other), "text": "x = 1\n", "functions": []}
    both = {**trace, "files": [*trace["files"], {**file, "expressions": [], "names": [], "blocks": []}]}
    text = edited(SICK["linear"][0])
    assert len(said_of(both, tmp_path / "same", text)) == 1
    other.write_text("x = 2\n")
    assert not said_of(both, tmp_path / "edited", text)


def test_what_depends_on_the_batch_is_a_warning(trace: dict[str, Any], tmp_path: Path) -> None:
    for file in trace["files"]:
        for each in [*file["expressions"], *file["names"]]:
            for value in each["values"]:
                value["dims"] = ["B" if dim == "6" else dim for dim in value["dims"]]
    [said] = said_of(trace, tmp_path, edited(SICK["view with a rest"][0]))
    assert said.severity == types.DiagnosticSeverity.Warning
    assert "with B = 6" in said.message
