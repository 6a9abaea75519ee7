"""Few run folders are kept that hold nothing but a trace which every run makes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import shape_traces

from tensorpeek.runs import free_traces, shapes_file

TEXT = "def forward(x):\n    y = x + 1\n    return y\n"


def trace(source: str, dims: str) -> Any:
    made = shape_traces.trace(Path("/project/net.py"), TEXT, {"x + 1": [dims]})
    return {**made, "source": source, "time": "2026-12-01T00:00:00+00:00"}


def run(runs: Path, number: int, source: str = "step", *others: str) -> Path:
    folder = runs / f"20261201-0000{number:02}-train"
    folder.mkdir(parents=True)
    (folder / "run.json").write_text("{}", encoding="utf-8")
    shapes_file.write(folder, trace(source, f"{number} 4"))
    for other in others:
        (folder / other).write_text("", encoding="utf-8")
    return folder


def test_the_newest_are_kept(tmp_path: Path) -> None:
    folders = [run(tmp_path, number) for number in range(free_traces.MOST + 3)]
    free_traces.prune(tmp_path)
    assert [folder.exists() for folder in folders] == [False] * 3 + [True] * free_traces.MOST


def test_what_was_asked_for_and_what_was_found_is_kept(tmp_path: Path) -> None:
    asked, found = run(tmp_path, 0, "fake"), run(tmp_path, 1, "step", "findings.jsonl")
    for number in range(2, free_traces.MOST + 2):
        run(tmp_path, number)
    free_traces.prune(tmp_path)
    assert asked.exists()
    assert found.exists()
    assert len(list(tmp_path.iterdir())) == free_traces.MOST + 2


def test_only_the_newest_trace_counts_as_known(tmp_path: Path) -> None:
    assert not free_traces.is_known(tmp_path, trace("step", "1 4"))
    run(tmp_path, 1)
    assert free_traces.is_known(tmp_path, {**trace("step", "1 4"), "time": "2026-12-02T00:00:00+00:00"})
    assert not free_traces.is_known(tmp_path, trace("step", "2 4"))
    run(tmp_path, 2)
    assert not free_traces.is_known(tmp_path, trace("step", "1 4"))


def test_a_run_whose_folder_has_gone_makes_it_again(tmp_path: Path) -> None:
    from tensorpeek.probe.run_output import RunOutput

    output = RunOutput()
    output.write_into(str(tmp_path), ["train.py"])
    shapes_file.write(output.path(), trace("step", "1 4"))
    for number in range(free_traces.MOST):
        run(tmp_path / "newer", number).rename(tmp_path / f"30000101-0000{number:02}-train")
    free_traces.prune(tmp_path)
    assert output.written is not None
    assert not output.written.exists()
    output.log("it goes on")
    assert {each.name for each in output.written.iterdir()} == {"run.json", "training.log"}
