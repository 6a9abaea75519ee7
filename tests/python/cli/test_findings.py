"""What `tensorpeek run` does when something goes wrong in the training."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from cli.command import BACKEND, PROGRAM, tensorpeek

from harness import DebugSession
from tensorpeek.runs import findings_file, run_file
from tensorpeek.runs.folder import newest_runs

LOSS = next(number for number, line in enumerate(PROGRAM.read_text().splitlines(), 1) if "@bp:loss" in line)


def test_a_finding_is_said_and_kept(tmp_path: Path) -> None:
    ended = tensorpeek("run", "--break", "nan", str(PROGRAM), "nan", cwd=tmp_path)
    assert ended.returncode == 0
    assert "weights are finite: False" in ended.stdout
    assert "NaN in the loss · step 3" in ended.stderr
    assert "\033" not in ended.stderr
    assert "in 6 steps" in ended.stderr
    (folder,) = newest_runs(tmp_path / ".tensorpeek" / "runs")
    (finding,) = [each for each in findings_file.read(folder) if each["condition"] == "nan-loss"]
    assert (finding["step"], finding["line"], finding["stopped"]) == (3, LOSS, False)
    assert Path(finding["path"]) == PROGRAM
    info = run_file.read(folder)
    assert info is not None
    assert (info["program"], info["arguments"], info["rank"]) == (str(PROGRAM), ["nan"], 0)
    assert "NaN in the loss" in (folder / "training.log").read_text()
    assert (tmp_path / ".tensorpeek" / ".gitignore").read_text() == "*\n"


def test_a_run_in_which_all_is_well_leaves_nothing(tmp_path: Path) -> None:
    ended = tensorpeek("run", "--no-shapes", str(PROGRAM), "nothing", cwd=tmp_path)
    assert ended.stderr == "tensorpeek: nothing found in 6 steps\n"
    assert list(tmp_path.iterdir()) == []


def test_none_watches_for_nothing(tmp_path: Path) -> None:
    ended = tensorpeek("run", "--break", "none", str(PROGRAM), "nan", cwd=tmp_path)
    assert "nothing found" in ended.stderr


def test_exit_ends_the_program_before_the_weights_change(tmp_path: Path) -> None:
    ended = tensorpeek(
        "run", "--break", "nan", "--on-break", "exit", "--runs", "here", str(PROGRAM), "nan", cwd=tmp_path
    )
    assert ended.returncode == 3
    assert "the program's own end" in ended.stdout
    assert "weights" not in ended.stdout
    (folder,) = newest_runs(tmp_path / "here")
    assert findings_file.read(folder)[0]["stopped"]


def test_pdb_opens_in_the_users_frame(tmp_path: Path) -> None:
    commands = "p step\np bool(torch.isfinite(model.weight).all())\nnext\np 'after'\nq\n"
    ended = tensorpeek(
        "run", "--break", "nan", "--on-break", "pdb", str(PROGRAM), "nan", cwd=tmp_path, text=commands
    )
    assert "loss.backward()" in ended.stdout
    assert "(Pdb) 3\n(Pdb) True\n" in ended.stdout
    assert "optimizer.step()" in ended.stdout
    assert "(Pdb) 'after'" in ended.stdout
    assert "weights are finite" not in ended.stdout


def test_listen_waits_for_a_debugger_and_stops_there(session: DebugSession, tmp_path: Path) -> None:
    words = ["run", "--break", "nan-loss", "--on-break", "listen", str(PROGRAM), "nan"]
    process = session.spawn(
        *(sys.executable, "-m", "tensorpeek", *words),
        cwd=tmp_path,
        env={**session.environment, "PYTHONPATH": str(BACKEND)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    line = b""
    while b"attach to" not in line:
        line = process.stderr.readline()
        assert line
    port = int(line.rpartition(b":")[2])
    session.attach(connect={"host": "127.0.0.1", "port": port}, source="command_line.py", stops=[])
    session.wait_for_stop()
    assert session.locals()["step"]["value"] == "3"
    session.disconnect()
    assert process.wait(60) == 0


@pytest.mark.parametrize("module", [False, True])
def test_ranks_write_a_folder_each(module: bool, tmp_path: Path) -> None:
    ended = tensorpeek(
        *("run", "--break", "nan", str(PROGRAM), "nan"),
        cwd=tmp_path,
        environment={"RANK": "1", "WORLD_SIZE": "2"} if module else {"RANK": "0", "WORLD_SIZE": "1"},
    )
    assert ended.returncode == 0
    (folder,) = newest_runs(tmp_path / ".tensorpeek" / "runs")
    assert folder.name.endswith("-rank1") == module
    assert json.loads((folder / "run.json").read_text())["rank"] == int(module)


def test_a_run_folder_that_cannot_be_written_is_told_once_and_costs_nothing(tmp_path: Path) -> None:
    (tmp_path / ".tensorpeek").write_text("in the way")
    ended = tensorpeek("run", "--break", "nan", str(PROGRAM), "nan", cwd=tmp_path)
    assert ended.returncode == 0
    assert ended.stderr.count("The run folder can't be written") == 1
    assert "NaN in the loss" in ended.stderr
