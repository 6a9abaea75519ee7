"""What a process that trains writes, and what its forked copy does."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tensorpeek.probe.run_output import RunOutput
from tensorpeek.runs import findings_file, run_file
from tensorpeek.runs.folder import newest_runs


def finding(number: int) -> Any:
    place = {"path": "/p/train.py", "line": 3, "lineText": "loss.backward()", "module": ""}
    moment = {"step": 7, "epoch": -1, "rank": 0, "time": "2026-11-30T03:15:00+00:00"}
    values: dict[str, Any] = {"value": None, "threshold": None, "history": [], "evidence": []}
    said = {
        "condition": "nan-loss",
        "title": "NaN in the loss",
        "message": "A cause.",
        "next": [],
        "related": [],
    }
    return {"number": number, **said, **place, **moment, **values, "stopped": False}


def test_two_who_tell_of_one_finding_write_it_once(tmp_path: Path) -> None:
    output = RunOutput()
    output.write_into(str(tmp_path), ["train.py", "--lr", "1"])
    first, second = finding(1), finding(2)
    for each in (first, first, second):
        output.add_finding(each)
    assert [each["number"] for each in findings_file.read(output.path())] == [1, 2]
    info = run_file.read(output.path())
    assert info is not None
    assert (info["program"], info["arguments"]) == ("train.py", ["--lr", "1"])


def test_a_forked_copy_writes_a_folder_of_its_own(tmp_path: Path) -> None:
    output = RunOutput()
    output.write_into(str(tmp_path), ["train.py"])
    output.add_finding(finding(1))
    child = os.fork()
    if child == 0:
        try:
            output.add_finding(finding(2))
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    assert [each["number"] for each in findings_file.read(output.path())] == [1]
    folders = [path for path in tmp_path.iterdir() if path.is_dir()]
    assert len(folders) == 2
    assert newest_runs(tmp_path)


def test_a_disk_that_refuses_is_told_of_once(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("in the way")
    said: list[str] = []
    output = RunOutput()
    output.complain = said.append
    output.write_into(str(tmp_path / "runs"))
    output.add_finding(finding(1))
    output.log("more")
    assert len(said) == 1
    assert said[0].startswith("The run folder can't be written")
