"""The run folder: made when it is needed, readable when the program died in the middle of a line."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensorpeek.contract.messages import Finding
from tensorpeek.runs import findings_file, run_file, training_log
from tensorpeek.runs.folder import RunFolder, newest_runs, run_name

NOW = datetime(2026, 11, 30, 3, 15, tzinfo=timezone.utc)


def finding(number: int = 1, message: str = "a cause") -> Finding:
    return {
        "number": number,
        "condition": "loss-spike",
        "title": "Loss spike",
        "message": message,
        "path": "/train.py",
        "line": 3,
        "lineText": "loss.backward()",
        "module": "",
        "step": 7,
        "epoch": -1,
        "rank": 0,
        "time": "2026-11-30T03:15:00+00:00",
        "value": "nan",
        "threshold": None,
        "history": [1.0, "inf"],
        "evidence": [],
        "next": [],
        "related": [],
        "stopped": False,
    }


def test_nothing_is_made_before_it_is_needed(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / ".tensorpeek" / "runs", "train.py", ["--lr", "1"], NOW)
    assert folder.written is None
    assert list(tmp_path.iterdir()) == []
    path = folder.path()
    assert path == folder.path() == folder.written == tmp_path / ".tensorpeek/runs/20261130-031500-train"
    assert (tmp_path / ".tensorpeek" / ".gitignore").read_text() == "*\n"
    info = run_file.read(path)
    assert info is not None
    assert info["arguments"] == ["--lr", "1"]


def test_two_runs_of_one_second_have_folders_of_their_own(tmp_path: Path) -> None:
    one, two = (RunFolder(tmp_path, "train.py", [], NOW).path() for _ in range(2))
    assert one != two
    assert newest_runs(tmp_path) == [two]


def test_a_users_gitignore_stays(tmp_path: Path) -> None:
    ours = tmp_path / ".tensorpeek"
    ours.mkdir()
    (ours / ".gitignore").write_text("mine")
    RunFolder(ours / "runs", "train.py", [], NOW).path()
    assert (ours / ".gitignore").read_text() == "mine"


@pytest.mark.parametrize(
    ("program", "rank", "name"),
    [
        ("src/train.py", None, "20261130-031500-train"),
        ("package.train", 3, "20261130-031500-package.train-rank3"),
        ("my run/a b.py", None, "20261130-031500-a-b"),
        ("..", None, "20261130-031500-run"),
    ],
)
def test_names(program: str, rank: int | None, name: str) -> None:
    assert run_name(program, NOW, rank) == name


@pytest.mark.parametrize(
    "ranks",
    [
        ["20261130-031600-train-rank0", "20261130-031601-train-rank1"],
        ["20261130-031601-train-rank0", "20261130-031600-train-rank1"],
        ["20261130-031600-train-rank2", "20261130-031600-train-rank10"],
    ],
)
def test_the_ranks_of_the_newest_run(tmp_path: Path, ranks: list[str]) -> None:
    """In the order of their numbers, whichever has begun first."""
    for name in ("20261130-031500-train", *ranks, "20261130-021600-train-rank0", "else"):
        (tmp_path / name).mkdir()
    assert [path.name for path in newest_runs(tmp_path)] == ranks
    assert newest_runs(tmp_path / "missing") == []


def test_findings_are_read_as_they_were_written(tmp_path: Path) -> None:
    written = [finding(1), finding(2, "ünïcode\nand lines")]
    for each in written:
        findings_file.append(tmp_path, each)
    assert findings_file.read(tmp_path) == written


@given(cut=st.integers(0, 2000), junk=st.binary(max_size=40))
def test_a_damaged_file_gives_its_whole_lines(
    cut: int, junk: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("run")
    lines = [json.dumps(finding(number)) + "\n" for number in (1, 2, 3)]
    content = "".join(lines).encode()[:cut]
    (folder / findings_file.NAME).write_bytes(content + junk)
    numbers = [each["number"] for each in findings_file.read(folder)]
    whole = content.count(b"\n")
    assert numbers[:whole] == [1, 2, 3][:whole]
    assert len(numbers) <= whole + 1


@pytest.mark.parametrize("text", ["", "[]", '{"contractVersion": 99}', "{", "null"])
def test_a_foreign_run_file_is_none(text: str, tmp_path: Path) -> None:
    (tmp_path / run_file.NAME).write_text(text)
    assert run_file.read(tmp_path) is None


def test_a_line_of_the_log_begins_with_its_time(tmp_path: Path) -> None:
    training_log.append(tmp_path, "loss 1\nsecond line", "INFO", NOW)
    training_log.append(tmp_path, "loss 2", "WARNING", NOW)
    assert (tmp_path / training_log.NAME).read_text().splitlines() == [
        "2026-11-30T03:15:00.000+00:00 INFO    loss 1",
        "    second line",
        "2026-11-30T03:15:00.000+00:00 WARNING loss 2",
    ]
