"""`python -m tensorpeek profile` measures a program and changes nothing of it."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import pytest
from cli.command import python, tensorpeek

from harness import DEBUGGEES
from tensorpeek.contract.messages import Profile
from tensorpeek.runs import profile_file

SLOW = DEBUGGEES / "slow_data.py"

LOOP = """
import sys, torch
from torch import nn
model = nn.Linear(8, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
def train(steps):
    for step in range(steps):
        loss = model(torch.ones(2, 8)).sum()
        loss.backward()
        optimizer.step()
"""


def line_of(word: str) -> int:
    lines = SLOW.read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if line.endswith(f"# @line:{word}"))


def profiled(folder: Path) -> Profile:
    run = profile_file.newest(folder / ".tensorpeek" / "runs")
    assert run is not None
    profile = profile_file.read(run)
    assert profile is not None
    return profile


def ran(program: str, *words: str, cwd: Path, text: str = "") -> subprocess.CompletedProcess[str]:
    (cwd / "program.py").write_text(program)
    return tensorpeek("profile", "--no-kineto", "program.py", *words, cwd=cwd, text=text)


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    folder = tmp_path_factory.mktemp("slow")
    return folder, tensorpeek("profile", "--json", "whole.json", str(SLOW), "20", cwd=folder)


Slow = tuple[Path, "subprocess.CompletedProcess[str]"]


def test_the_program_computes_the_same_bits(slow: Slow) -> None:
    folder, ended = slow
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == python(str(SLOW), "20", cwd=folder).stdout


def test_what_a_step_waits_for_is_said_first(slow: Slow) -> None:
    folder, ended = slow
    profile = profiled(folder)
    assert profile["steps"] == 20
    assert profile["state"] == "ended"
    assert max(profile["phases"], key=lambda phase: phase["share"])["name"] == "data"
    verdict = next(line for line in ended.stderr.splitlines() if " of a step of " in line)
    assert f"waits for data: DataLoader at {SLOW}:{line_of('loader')}." in verdict


def test_the_line_that_takes_the_time_is_the_hottest(slow: Slow) -> None:
    hottest = profiled(slow[0])["lines"][0]
    assert (hottest["line"], hottest["function"]) == (line_of("decode"), "Slow.__getitem__")
    assert hottest["text"].startswith("time.sleep(0.004)")


def test_modules_operations_and_values_are_told(slow: Slow) -> None:
    profile = profiled(slow[0])
    assert [module["path"] for module in profile["modules"]] == ["", "0", "1", "2"]
    assert all(module["backward"] > 0 for module in profile["modules"])
    addmm = next(op for op in profile["ops"] if op["name"] == "addmm" and op["calls"] == 1)
    assert addmm["phase"] == "forward"
    assert addmm["flops"] in (2 * 8 * 16 * 32, 2 * 8 * 32 * 4)
    assert profile["window"] == [5, 9]
    (sync,) = (sync for sync in profile["syncs"] if sync["line"] == line_of("item"))
    assert sync["kind"] == "item"
    assert not sync["isDevice"]
    assert 18 in [step["step"] for step in profile["outliers"]]
    (fact,) = profile["facts"]
    assert (fact["kind"], fact["line"], fact["count"]) == ("hidden-sync", line_of("hidden"), 1)
    assert fact["words"] == "sub(…, alpha=rate)"


def test_the_advice_names_the_loader_and_what_makes_its_rows(slow: Slow) -> None:
    (advice,) = profiled(slow[0])["advice"]
    assert (advice["rule"], advice["line"]) == ("data-bound", line_of("loader"))
    assert [place["line"] for place in advice["related"]] == [line_of("decode")]


def test_the_record_is_small_and_can_be_written_elsewhere(slow: Slow) -> None:
    folder, _ = slow
    run = profile_file.newest(folder / ".tensorpeek" / "runs")
    assert run is not None
    assert (run / "profile.json").stat().st_size < 20 * 2000
    assert json.loads((folder / "whole.json").read_text()) == profiled(folder)


def test_the_report_is_markdown_with_the_verdict_first(slow: Slow) -> None:
    folder, _ = slow
    reported = tensorpeek("report", cwd=folder)
    assert reported.returncode == 0
    assert reported.stdout.splitlines()[2].startswith("**")
    for head in ("## What would help", "## A step", "## Lines", "## Data", "## Modules", "## Operations"):
        assert head in reported.stdout
    run = profile_file.newest(folder / ".tensorpeek" / "runs")
    assert run is not None
    assert tensorpeek("report", run.name, cwd=folder).stdout == reported.stdout


def test_a_run_without_a_profile_is_a_sentence(tmp_path: Path) -> None:
    ended = tensorpeek("report", cwd=tmp_path)
    assert ended.returncode == 1
    assert "no run with a profile" in ended.stderr


def test_exit_code_words_and_streams_are_the_programs_own(tmp_path: Path) -> None:
    program = "import sys\nprint(sys.argv, sys.stdin.read())\nsys.exit(7)\n"
    ended = ran(program, "--steps", "3", cwd=tmp_path, text="given")
    assert ended.returncode == 7
    assert ended.stdout == "['program.py', '--steps', '3'] given\n"


def test_a_program_that_trains_nothing_has_a_profile_of_its_lines(tmp_path: Path) -> None:
    program = "total = 0\nfor number in range(2_000_000):\n    total += number % 7\n"
    assert ran(program, cwd=tmp_path).returncode == 0
    profile = profiled(tmp_path)
    assert profile["lines"][0]["line"] in (2, 3)
    assert profile["torch"] == ""
    assert any("Nothing was trained" in problem for problem in profile["problems"])


def test_what_was_seen_before_a_crash_is_kept(tmp_path: Path) -> None:
    ended = ran(LOOP + "train(4)\nraise ValueError('no')\n", cwd=tmp_path)
    assert ended.returncode == 1
    assert ended.stderr.splitlines()[1].startswith("Traceback")
    assert "cli/program.py" not in ended.stderr
    profile = profiled(tmp_path)
    assert (profile["state"], profile["steps"]) == ("failed", 4)


def test_what_was_seen_before_os_exit_is_kept(tmp_path: Path) -> None:
    ended = ran(LOOP + "import os\ntrain(4)\nos._exit(5)\n", cwd=tmp_path)
    assert ended.returncode == 5
    assert profiled(tmp_path)["steps"] == 4


def test_what_was_seen_before_a_kill_is_kept(tmp_path: Path) -> None:
    program = LOOP + (
        "import os, pathlib, signal\n"
        "while not list(pathlib.Path('.tensorpeek/runs').glob('*/profile.json')):\n    train(1)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    assert ran(program, cwd=tmp_path).returncode == -signal.SIGKILL
    profile = profiled(tmp_path)
    assert profile["state"] == "running"
    assert profile["steps"] >= 0


def test_an_interrupt_ends_it_as_it_ends_a_program(tmp_path: Path) -> None:
    program = LOOP + "import os, signal\ntrain(4)\nos.kill(os.getpid(), signal.SIGINT)\ntrain(99)\n"
    ended = ran(program, cwd=tmp_path)
    assert ended.returncode in (130, -signal.SIGINT)
    assert "KeyboardInterrupt" in ended.stderr
    assert profiled(tmp_path)["steps"] == 4


def test_a_program_that_uses_the_alarm_keeps_it(tmp_path: Path) -> None:
    program = LOOP + (
        "import signal\nrung = []\n"
        "print(signal.signal(signal.SIGALRM, lambda number, frame: rung.append(number)).name)\n"
        "signal.setitimer(signal.ITIMER_REAL, 0.05)\n"
        "while not rung:\n    train(1)\n"
        "train(20)\nprint(len(rung))\n"
    )
    ended = ran(program, cwd=tmp_path)
    assert ended.stdout.split() == ["SIG_DFL", "1"]
    profile = profiled(tmp_path)
    assert profile["sampling"]["clock"] == "cpu"
    assert any("SIGALRM" in problem for problem in profile["problems"])


def test_the_program_is_ended_after_so_many_steps(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(LOOP + "train(1000)\nprint('never')\n")
    ended = tensorpeek("profile", "--steps", "6", "--no-kineto", "program.py", cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (0, "")
    assert profiled(tmp_path)["steps"] == 6


def test_a_profiler_of_the_programs_own_goes_first(tmp_path: Path) -> None:
    program = LOOP + (
        "from torch.profiler import profile, ProfilerActivity\ntrain(7)\n"
        "with profile(activities=[ProfilerActivity.CPU]) as own:\n    train(3)\n"
        "print(sum(each.count for each in own.key_averages() if each.key == 'aten::addmm'))\n"
    )
    (tmp_path / "program.py").write_text(program)
    ended = tensorpeek("profile", "--active", "50", "program.py", cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (0, "3\n"), ended.stderr
    profile = profiled(tmp_path)
    assert profile["window"] == [5, 6]
    assert any("runs torch's profiler itself" in problem for problem in profile["problems"])


def test_gradients_that_are_accumulated_are_one_step(tmp_path: Path) -> None:
    program = LOOP + (
        "for step in range(5):\n"
        "    for part in range(4):\n        model(torch.ones(2, 8)).sum().backward()\n"
        "    optimizer.step()\n"
    )
    ran(program, cwd=tmp_path)
    assert profiled(tmp_path)["steps"] == 5


def test_a_folder_that_cannot_be_written_is_said_once(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(LOOP + "train(4)\nprint('trained')\n")
    (tmp_path / "occupied").write_text("")
    ended = tensorpeek("profile", "--no-kineto", "--runs", "occupied", "program.py", cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (0, "trained\n")
    assert ended.stderr.count("can't be written") == 1
    assert "of a step of" in ended.stderr


@pytest.mark.parametrize("words", [(), ("--warmup", "0", "x.py"), ("--active", "-1", "x.py")])
def test_wrong_words_are_refused(words: tuple[str, ...], tmp_path: Path) -> None:
    ended = tensorpeek("profile", *words, cwd=tmp_path)
    assert ended.returncode == 2
    assert "usage: python -m tensorpeek profile" in ended.stderr
