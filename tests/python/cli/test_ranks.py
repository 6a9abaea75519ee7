"""Processes that train together, by gloo on the loopback address."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import IO

import pytest
from cli.command import BACKEND

from harness import DEBUGGEES
from tensorpeek.runs import findings_file
from tensorpeek.runs.folder import newest_runs

TRAINING = DEBUGGEES / "ranks_training.py"
PATIENCE = 120
COLLECTIVE_S = 4


def line(mark: str) -> int:
    lines = TRAINING.read_text().splitlines()
    return next(number for number, text in enumerate(lines, 1) if f"@bp:{mark}" in text)


def environment() -> dict[str, str]:
    present = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return {**present, "PYTHONPATH": str(BACKEND), "OMP_NUM_THREADS": "1"}


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


def start(rank: int, port: int, *words: str, cwd: Path) -> subprocess.Popen[str]:
    """A rank of two, as torchrun starts it."""
    place = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "LOCAL_RANK": str(rank)}
    return subprocess.Popen(
        [sys.executable, "-m", "tensorpeek", "run", "--break", "nan,spike", *words],
        cwd=cwd,
        env={**environment(), **place, "RANK": str(rank), "WORLD_SIZE": "2"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run_two(*words: str, cwd: Path) -> list[tuple[int, str, str]]:
    """Exit code, output and errors of each rank."""
    port = free_port()
    processes = [start(rank, port, *words, cwd=cwd) for rank in range(2)]
    try:
        said = [process.communicate(timeout=PATIENCE) for process in processes]
    finally:
        for process in processes:
            process.kill()
    return [(process.returncode, *words) for process, words in zip(processes, said, strict=True)]


class Spoken:
    """What a process says, as it comes."""

    def __init__(self, stream: IO[str]) -> None:
        self.text, self._is_over = "", False
        self._has_more = threading.Condition()
        self._thread = threading.Thread(target=self._read, args=(stream,), daemon=True)
        self._thread.start()

    def wait_for(self, word: str) -> None:
        with self._has_more:
            self._has_more.wait_for(lambda: word in self.text or self._is_over, PATIENCE)
        assert word in self.text, self.text

    def wait_for_end(self) -> None:
        self._thread.join(PATIENCE)

    def _read(self, stream: IO[str]) -> None:
        while character := stream.read(1):
            self._say(character)
        self._say("", is_over=True)

    def _say(self, more: str, is_over: bool = False) -> None:
        with self._has_more:
            self.text, self._is_over = self.text + more, is_over
            self._has_more.notify_all()


def test_a_stop_of_one_rank_outlasts_a_collective_and_what_is_done_there_holds_for_all(
    tmp_path: Path,
) -> None:
    command = [
        *(sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2"),
        *("--master-addr", "127.0.0.1", "--master-port", str(free_port())),
        *("-m", "tensorpeek", "run", "--break", "nan,spike", "--on-break", "pdb"),
        *(str(TRAINING), "spike", str(COLLECTIVE_S)),
    ]
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        bufsize=1,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        said = Spoken(process.stdout)
        try:
            said.wait_for("(Pdb)")
            said.wait_for("Rank 0 waits: rank 1 has stopped at “Loss spike”.")
            time.sleep(COLLECTIVE_S + 1)  # a rank in a collective would give up meanwhile
            skip = "from tensorpeek.probe.training.training import TRAINING; TRAINING.act('skipStep')"
            process.stdin.write(f"p optimizer is not None;;{skip};;c\n")
            process.stdin.flush()
            assert process.wait(PATIENCE) == 0
            said.wait_for_end()
        finally:
            process.kill()
    assert "Loss spike · step 30, rank 1" in said.text
    assert "-> optimizer.step()" in said.text
    ends = [text.partition("ends with ")[2][:12] for text in said.text.split("rank ") if "ends with" in text]
    assert len(ends) == 2
    assert len(set(ends)) == 1
    assert "rank 0: nothing found in 40 steps" in said.text
    assert "rank 1: 1 finding in 40 steps" in said.text


def test_a_nan_of_one_rank_is_explained_in_all(tmp_path: Path) -> None:
    ranks = run_two(str(TRAINING), "nan", cwd=tmp_path)
    assert [code for code, _, _ in ranks] == [0, 0]
    folders = newest_runs(tmp_path / ".tensorpeek" / "runs")
    (first,), (second,) = ([*findings_file.read(folder)] for folder in folders)
    assert (second["condition"], second["rank"], second["line"]) == ("nan-loss", 1, line("sqrt"))
    assert (first["condition"], first["rank"], first["step"]) == ("nan-gradient", 0, 30)
    assert "Rank 1 had NaN in the loss at ranks_training.py:" in first["message"]
    assert "rank 0: 1 finding" in ranks[0][2]
    assert "rank 1: 1 finding" in ranks[1][2]


def test_a_finding_ends_all_ranks_with_one_code(tmp_path: Path) -> None:
    ranks = run_two("--on-break", "exit", str(TRAINING), "nan", cwd=tmp_path)
    assert [code for code, _, _ in ranks] == [3, 3]
    assert not any("ends with" in output for _, output, _ in ranks)


@pytest.mark.parametrize("fault", ["crash", "idle"])
def test_a_rank_that_is_gone_changes_nothing_for_the_others(fault: str, tmp_path: Path) -> None:
    codes = [code for code, _, _ in run_two("--on-break", "exit", str(TRAINING), fault, "5", cwd=tmp_path)]
    if fault == "crash":
        assert codes == [1, 9]
    else:
        assert codes[0] == 0
        assert codes[1] == 1


def test_ranks_that_do_not_communicate_stop_all_the_same(tmp_path: Path) -> None:
    ranks = run_two("--on-break", "exit", str(TRAINING), "alone", cwd=tmp_path)
    assert ranks[1][0] == 3
    assert ranks[0][0] in (0, 3)
