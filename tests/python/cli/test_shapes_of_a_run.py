"""`tensorpeek run` traces the shapes of the first step for free."""

from __future__ import annotations

from pathlib import Path

from cli.command import PROGRAM, python, tensorpeek

from harness import DEBUGGEES
from tensorpeek.contract.messages import ShapeTrace
from tensorpeek.runs import shapes_file
from tensorpeek.runs.folder import newest_runs

TRACED = DEBUGGEES / "traced.py"


def run(folder: Path, *words: str) -> str:
    ended = tensorpeek("run", "--break", "none", *words, cwd=folder)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def traces(folder: Path) -> list[ShapeTrace]:
    return shapes_file.newest(folder / ".tensorpeek" / "runs")


def test_the_first_step_is_traced_and_the_program_is_the_same(tmp_path: Path) -> None:
    bare = python(str(TRACED), cwd=tmp_path)
    assert run(tmp_path, str(TRACED)) == bare.stdout
    (trace,) = traces(tmp_path)
    assert (trace["source"], trace["entry"], trace["problem"]) == ("step", "Net.forward(images)", "")
    (file,) = trace["files"]
    shapes = {name["name"]: [value["dims"] for value in name["values"]] for name in file["names"]}
    assert shapes["flat"] == [["6", "256"]]
    assert {function["name"]: function["calls"] for function in file["functions"]} == {
        "Net.forward": 1,
        "scaled": 1,
    }
    outputs = {row["path"]: row["outputs"][0]["dims"] for row in trace["modules"]}
    assert outputs == {
        "": ["6", "10"],
        "conv": ["6", "4", "8", "8"],
        "norm": ["6", "4", "8", "8"],
        "drop": ["6", "256"],
        "fc": ["6", "10"],
    }
    assert {row["calls"] for row in trace["modules"]} == {1}


def test_a_run_that_shows_nothing_new_leaves_nothing(tmp_path: Path) -> None:
    for _ in range(2):
        run(tmp_path, str(TRACED))
    assert len(traces(tmp_path)) == 1


def test_it_can_be_left_out(tmp_path: Path) -> None:
    run(tmp_path, "--no-shapes", str(TRACED))
    assert list(tmp_path.iterdir()) == []


def test_findings_and_shapes_are_in_one_folder(tmp_path: Path) -> None:
    ended = tensorpeek("run", "--break", "nan", str(PROGRAM), "nan", cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    (folder,) = newest_runs(tmp_path / ".tensorpeek" / "runs")
    assert {"findings.jsonl", shapes_file.NAME} <= {each.name for each in folder.iterdir()}
