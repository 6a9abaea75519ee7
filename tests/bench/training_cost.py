"""What training costs with every training-wide condition on, beside the bare run."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
from collections import defaultdict
from types import TracebackType

from paused import DEBUGGEES
from progress import say
from report import OURS, Benchmark, Row
from timing import Sample

BARE = "bare"
AT_MOST = {"small": 1.05, "large": 1.01}
"""What a step may cost, as a ratio to the bare one: of about 0.2 ms, and of about 5 ms."""
WARM_UP = 600
"""Blocks; in them the conditions use up the credit that they begin with."""
PROGRAM = "watched_training.py"
BACKEND = DEBUGGEES.parents[2] / "python_backend"


class Trainer:
    """A process that trains one block whenever it is told to."""

    def __init__(self, peer: str, size: str) -> None:
        self._peer, self._size = peer, size
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> Trainer:
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = str(server.getsockname()[1])
            peer = "watched" if self._peer == OURS else "bare"
            self._process = subprocess.Popen(
                [sys.executable, str(DEBUGGEES / PROGRAM), port, self._size, peer],
                env={**os.environ, "PYTHONPATH": str(BACKEND)},
            )
            self._stack.callback(self._end)
            server.settimeout(120)
            connection, _ = server.accept()
        self._connection = self._stack.enter_context(connection)
        self._answers = self._stack.enter_context(connection.makefile("r"))
        for _ in range(WARM_UP):
            self.block()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    def block(self) -> dict[str, float]:
        """Seconds per step by `wall` and `cpu` (of the training thread)."""
        self._connection.sendall(b"\n")
        return json.loads(self._answers.readline())

    def _end(self) -> None:
        """It ends by itself when the connection does, with a last word about its findings."""
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def run(quick: bool) -> Benchmark:
    processes, blocks = (1, 60) if quick else (4, 300)
    rows: list[Row] = []
    for size, most in AT_MOST.items():
        taken: dict[str, dict[str, list[float]]] = {"cpu": defaultdict(list), "wall": defaultdict(list)}
        for process in range(processes):
            say(f"{size}, processes {process + 1} of {processes}")
            order = (OURS, BARE) if process % 2 else (BARE, OURS)
            with contextlib.ExitStack() as stack:
                trainers = {peer: stack.enter_context(Trainer(peer, size)) for peer in order}
                for turn in range(blocks):
                    for peer in order if turn % 2 else reversed(order):
                        for clock, seconds in trainers[peer].block().items():
                            taken[clock][peer].append(seconds)
        names = {"cpu": "CPU time of the training thread", "wall": "wall time"}
        rows += [
            Row(
                f"one step, {size} model, {names[clock]}",
                {peer: Sample.of(times[peer]) for peer in order},
                at_least={BARE: 1 / most},
                note=f"asked: at most {most:g} of the bare step",
            )
            for clock, times in taken.items()
        ]
    return Benchmark(
        "Training with all training-wide conditions on, budget 1 %",
        rows,
        notes=[
            f"{processes} processes of each, blocks of steps in turns; after a warm-up of {WARM_UP} blocks."
        ],
    )
