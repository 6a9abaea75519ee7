"""Running a step again leaves nothing behind in the user's process, however badly the step behaves."""

from __future__ import annotations

import gc
import os
import random
import socket
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from harness.step_recorder import Found, recorded
from tensorpeek.probe.replay import copy_of_process
from tensorpeek.probe.replay.copy_of_process import NoCopy, in_copy
from tensorpeek.probe.replay.producer import find_producer
from tensorpeek.probe.training.step_record import StepRecord

SECONDS = 20.0


def children() -> set[str]:
    found: set[str] = set()
    for task in Path("/proc/self/task").iterdir():
        found |= set((task / "children").read_text().split())
    return found


def open_files() -> dict[str, str]:
    """By number; the one that lists them is gone again."""
    entries = list(Path("/proc/self/fd").iterdir())
    return {entry.name: str(entry.readlink()) for entry in entries if entry.exists()}


def test_the_program_cannot_tell_that_a_step_was_run_again(tmp_path: Path) -> None:
    torch.manual_seed(0)
    random.seed(0)
    written = tmp_path / "log.txt"
    net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.BatchNorm1d(8), torch.nn.Dropout(0.5))
    opt = torch.optim.Adam(net.parameters(), lr=0.1)
    history: list[float] = []
    seen: list[dict[str, Any]] = []

    def everything() -> dict[str, Any]:
        return {
            "random": (random.getstate(), torch.get_rng_state().tolist()),
            "weights": {name: value.tolist() for name, value in net.state_dict().items()},
            "versions": [parameter._version for parameter in net.parameters()],
            "gradients": [repr(p.grad) for p in net.parameters()],
            "modes": (net.training, torch.is_grad_enabled(), torch.get_num_threads()),
            "history": list(history),
            "files": (written.read_text(), sorted(path.name for path in tmp_path.iterdir())),
            "descriptors": open_files(),
            "children": children(),
            "backward": torch.autograd.backward,
            "hooks": len(net._forward_pre_hooks),
        }

    def ask(record: StepRecord, phase: str) -> Any:
        before = everything()
        answer = find_producer(record, phase)
        seen.append(before)
        seen.append(everything())
        return answer

    def train() -> None:
        for step in range(3):
            x = torch.rand(6, 4)
            out = net(x)
            history.append(random.random())
            log.write(f"{step}\n")
            log.flush()
            bad = torch.where(out > 9, (out * 0).log(), out) if step == 1 else out
            opt.zero_grad()
            bad.mean().backward()
            written.with_suffix(f".{step}").write_text("after backward")
            opt.step()

    with written.open("w") as log, recorded(ask) as recorder, pytest.raises(Found):
        train()
    assert recorder.producer().hidden_by == "where"
    assert seen[0] == seen[1]
    assert recorder.phase == "backward"


def is_refused(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except (OSError, RuntimeError):  # the latter for files that torch opens
        return True
    return False


def test_what_the_copy_does_stays_in_the_copy(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    kept = tmp_path / "kept"
    kept.write_text("kept")
    ours, theirs = socket.socketpair()
    attempts: list[Callable[[], object]] = [
        lambda: kept.write_text("changed"),
        lambda: kept.unlink(),
        lambda: kept.rename(tmp_path / "renamed"),
        lambda: (tmp_path / "new").mkdir(),
        lambda: os.system(f"touch {tmp_path / 'touched'}"),
        lambda: torch.save({}, tmp_path / "saved.pt"),
        lambda: torch.save({}, str(tmp_path / "saved.pt")),
        lambda: ours.send(b"hello"),
        lambda: sys.stdout.write("hello"),
        lambda: sys.stdout.flush(),
        lambda: os.write(1, b"hello"),
        lambda: os.write(2, b"hello"),
    ]

    def misbehave() -> dict[str, Any]:
        return {"refused": sum(map(is_refused, attempts))}

    assert in_copy(misbehave, SECONDS)["refused"] >= 7
    assert kept.read_text() == "kept"
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
    theirs.setblocking(False)
    with pytest.raises(BlockingIOError):
        theirs.recv(10)
    assert capfd.readouterr() == ("", "")
    ours.close()
    theirs.close()


def test_a_copy_that_hangs_is_ended() -> None:
    lock = threading.Lock()
    lock.acquire()
    with pytest.raises(NoCopy, match="longer than 1 s"):
        in_copy(lambda: {"got": lock.acquire()}, 1.0)
    assert not children()


def test_a_copy_that_dies_is_not_waited_for() -> None:
    with pytest.raises(NoCopy, match="signal 6"):
        in_copy(os.abort, SECONDS)
    assert not children()


def test_an_error_in_the_copy_is_told_with_its_line() -> None:
    with pytest.raises(NoCopy, match=r"ZeroDivisionError at test_no_trace.py:\d+: division by zero"):
        in_copy(lambda: {"never": 1 / 0}, SECONDS)


def test_a_copy_can_leave_by_exit_only_as_a_copy() -> None:
    def leave() -> dict[str, Any]:
        raise SystemExit(3)

    with pytest.raises(NoCopy, match="SystemExit"):
        in_copy(leave, SECONDS)


def test_a_process_with_many_busy_threads_can_be_copied() -> None:
    torch.set_num_threads(max(2, torch.get_num_threads()))
    big = torch.rand(800, 800)
    (big @ big).sum()
    stop = threading.Event()

    def work() -> None:
        while not stop.is_set():
            gc.get_count()
            torch.rand(300, 300).exp().sum()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(5):
            found = in_copy(lambda: {"sum": float((big @ big).sum())}, SECONDS)
            assert found["sum"] > 0
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def test_the_debuggers_fork_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    def debuggers() -> int:
        raise AssertionError

    monkeypatch.setattr(os, "original_fork", os.fork, raising=False)
    monkeypatch.setattr(os, "fork", debuggers)
    assert in_copy(lambda: {"pid": os.getpid()}, SECONDS)["pid"] != os.getpid()


def test_hooks_are_made_silent_first(monkeypatch: pytest.MonkeyPatch) -> None:
    silent: list[bool] = []
    monkeypatch.setattr(copy_of_process, "AT_START", [lambda: silent.append(True)])
    assert in_copy(lambda: {"silent": list(silent)}, SECONDS) == {"silent": [True]}
    assert not silent
