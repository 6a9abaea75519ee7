"""`python -m tensorpeek shapes` prints a model's source with its shapes, and changes nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.command import tensorpeek

MODEL = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.embedding = nn.Embedding(50, width)
        self.out = nn.Linear(width, 3)
        self.calls = 0

    def forward(self, ids):
        rows, length = ids.shape
        x = self.embedding(ids)
        if length > 100:
            x = x[:, :100]
        for _ in range(2):
            x = x + x
        return self.out(x.mean(1))
"""
PROGRAM = (
    MODEL
    + """

if __name__ == "__main__":
    print("begins")
    net = Net()
    try:
        net(torch.zeros(4, 7, dtype=torch.long))
    finally:
        print("never said")
"""
)
NO_FAKE = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(6, 3)

    def forward(self, x):
        data = torch.from_numpy(x.numpy())
        return self.out(data)


Net()(torch.zeros(5, 6))
"""


def test_a_program_is_traced_at_its_first_call_and_ends_there(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM)

    run = tensorpeek("shapes", "--json", "out.json", "train.py", cwd=tmp_path)

    assert run.returncode == 0, run.stderr
    assert "x = self.embedding(ids)" in run.stdout
    assert "# → [rows, length, 8]" in run.stdout
    assert "# → [rows, length, 8] ×2" in run.stdout
    assert "# → [rows, 3]" in run.stdout
    assert "rows = 4  rows, length = ids.shape (train.py:14)" in run.stdout
    assert "begins" in run.stderr
    assert "begins" not in run.stdout
    assert "never said" not in run.stdout + run.stderr
    trace = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    (written,) = tmp_path.glob(".tensorpeek/runs/*/shapes.json")
    assert json.loads(written.read_text(encoding="utf-8")) == trace
    assert trace["source"] == "fake"
    assert [row["path"] for row in trace["modules"]] == ["", "embedding", "out"]
    assert 17 not in trace["files"][0]["blocks"]


@pytest.mark.parametrize(
    "mark",
    [
        "# tensorpeek: example_input = torch.zeros(2, 9, dtype=torch.long)\n",
        "# tensorpeek: ids = torch.zeros(2, 9, dtype=torch.long)\n",
        "def example_inputs():\n    return (torch.zeros(2, 9, dtype=torch.long),)\n",
        "example_input = torch.zeros(2, 9, dtype=torch.long)\n",
        "",
    ],
)
def test_a_class_is_traced_with_the_input_that_is_marked_or_guessed(tmp_path: Path, mark: str) -> None:
    (tmp_path / "model.py").write_text(MODEL + "\n\n" + mark)

    run = tensorpeek("shapes", "--call", "model.py:Net", "--table", cwd=tmp_path)

    assert run.returncode == 0, run.stderr
    assert "Net  " in run.stdout
    assert "[rows, length, 8]" in run.stdout
    assert ("a guess" in run.stdout) == (not mark)


def test_what_cannot_run_without_data_runs_twice(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(NO_FAKE)

    run = tensorpeek("shapes", "train.py", cwd=tmp_path)

    assert run.returncode == 0, run.stderr
    assert "# → [B, 3]" in run.stdout
    assert "It can't run without data" in run.stdout


def test_what_a_model_raises_is_told_with_what_was_seen_until_then(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM.replace("nn.Linear(width, 3)", "nn.Linear(9, 3)"))

    run = tensorpeek("shapes", "train.py", cwd=tmp_path)

    assert run.returncode == 0, run.stderr
    assert "# → [rows, length, 8]" in run.stdout
    assert "RuntimeError" in run.stdout
    assert "failed while attempting to run meta" not in run.stderr


@pytest.mark.parametrize(
    ("text", "words", "sentence"),
    [
        ("import torch\n", ["train.py"], "the program has called no model"),
        ("1 / 0\n", ["train.py"], "the program failed before it called a model"),
        ("", ["absent.py"], "can't open file"),
        ("import torch\n", ["--call", "train.py:Net"], "train.py has no Net"),
        (MODEL.replace("=8", ""), ["--call", "train.py:Net"], "example_model = Net(width=…)"),
    ],
)
def test_where_nothing_is_traced_a_sentence_says_why(
    tmp_path: Path, text: str, words: list[str], sentence: str
) -> None:
    (tmp_path / "train.py").write_text(text)

    run = tensorpeek("shapes", *words, cwd=tmp_path)

    assert run.returncode == 1
    assert sentence in run.stderr
    assert not list(tmp_path.glob(".tensorpeek/**/shapes.json"))


def test_a_file_that_only_defines_a_model_is_traced_with_the_input_marked_in_it(tmp_path: Path) -> None:
    mark = "# tensorpeek: example_input = torch.zeros(4, 7, dtype=torch.long)\n"
    (tmp_path / "net.py").write_text(MODEL.replace("class Net", f"{mark}class Net"))

    run = tensorpeek("shapes", "net.py", cwd=tmp_path)

    assert run.returncode == 0, run.stderr
    assert "# → [rows, 3]" in run.stdout


@pytest.mark.parametrize("is_needy", [False, True])
def test_a_file_that_only_defines_a_model_says_what_is_missing(tmp_path: Path, is_needy: bool) -> None:
    (tmp_path / "net.py").write_text(MODEL.replace("=8", "") if is_needy else MODEL)

    run = tensorpeek("shapes", "net.py", "--table", cwd=tmp_path)

    assert "tensorpeek: --table goes to the program; ours stand before net.py" in run.stderr

    assert run.returncode == 1
    assert "called no model, and nothing says what goes into Net. Write a comment in it" in run.stderr
    assert ("And Net needs width: say how it is made" in run.stderr) == is_needy


WAYS = """
import threading
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class Batch:
    x: torch.Tensor
    y: torch.Tensor


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.utils.weight_norm(nn.Linear(6, 8))
        self.out = nn.Linear(self.fc(torch.zeros(1, 6)).shape[1], 3)
        self.lock = threading.Lock()
        self.last = self.fc(torch.zeros(1, 6))

    def forward(self, batch):
        self.last = self.fc(batch.x)
        kept = self.last[self.last.sum(1) > 0]
        return self.out(self.last), kept


net = Net()
@torch.compile
def step(batch):
    return net(batch)


step(Batch(torch.randn(5, 6), torch.zeros(5)))
"""


def test_a_compiled_step_is_traced_as_it_is_written(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(WAYS)

    run = tensorpeek("shapes", "train.py", cwd=tmp_path)

    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith(
        "Net.forward(batch)\n  B = 5  the batch\n  N1  a size that the data decide\n\n"
    )
    assert "self.last = self.fc(batch.x)" in run.stdout
    assert "# → [N1, 8]" in run.stdout
    assert "# → ([B, 3], [N1, 8])" in run.stdout


LIBRARY = """
from torch import nn
from .helpers import doubled


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(6, 6)

    def forward(self, x):
        y = doubled(self.fc(x))
        return y
"""


@pytest.mark.parametrize("words", [[], ["--library-sources", "other,some_layers"], ["--all-sources"]])
def test_the_source_of_a_library_is_shown_on_demand(tmp_path: Path, words: list[str]) -> None:
    package = tmp_path / "site-packages" / "some_layers"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("from .blocks import Block\n")
    (package / "blocks.py").write_text(LIBRARY)
    (package / "helpers.py").write_text(
        "def doubled(x):\n    return x + x\n\n\ndef unused(x):\n    return x\n"
    )
    (tmp_path / "train.py").write_text(
        "import sys\nsys.path.insert(0, 'site-packages')\nimport torch\nfrom some_layers import Block\n\n\n"
        "Block()(torch.zeros(4, 6))\n"
    )

    run = tensorpeek("shapes", *words, "train.py", cwd=tmp_path)

    assert run.returncode == 0, run.stderr
    for line in ("y = doubled(self.fc(x))  # → [B, 6]", "return x + x"):
        assert (line in run.stdout) == bool(words)
    assert "unused" not in run.stdout
    assert ("--library-sources some_layers shows it" in run.stdout) == (not words)
