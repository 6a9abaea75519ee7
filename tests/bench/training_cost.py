"""What training costs with every training-wide condition on, beside the bare run."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import partial

from paused import DEBUGGEES
from progress import say
from report import OURS, Benchmark, Row
from timing import Sample
from trainer import Trainer

BARE = "bare"
AT_MOST = {"small": 1.05, "large": 1.01}
"""What a step may cost, as a ratio to the bare one: of about 0.2 ms, and of about 5 ms."""
WARM_UP = 600
"""Blocks; in them the conditions use up the credit that they begin with."""
PROGRAM = "watched_training.py"
BACKEND = DEBUGGEES.parents[2] / "python_backend"


@contextlib.contextmanager
def watched(peer: str, size: str, port: str) -> Iterator[None]:
    """It ends by itself when the connection does, with a last word about its findings."""
    process = subprocess.Popen(
        [sys.executable, str(DEBUGGEES / PROGRAM), port, size, "watched" if peer == OURS else "bare"],
        env={**os.environ, "PYTHONPATH": str(BACKEND)},
    )
    try:
        yield
    finally:
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def run(quick: bool) -> Benchmark:
    processes, blocks = (1, 60) if quick else (4, 300)
    rows: list[Row] = []
    for size, most in AT_MOST.items():
        taken: dict[str, dict[str, list[float]]] = {"cpu": defaultdict(list), "wall": defaultdict(list)}
        for process in range(processes):
            say(f"{size}, processes {process + 1} of {processes}")
            order = (OURS, BARE) if process % 2 else (BARE, OURS)
            with contextlib.ExitStack() as stack:
                trainers = {
                    peer: stack.enter_context(Trainer(partial(watched, peer, size), WARM_UP))
                    for peer in order
                }
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
