"""A training loop with a session attached and no breakpoint: what it costs to be debuggable."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager

from paused import DEBUGGEES, PLAIN, launched
from progress import say
from report import OURS, Benchmark, Row
from timing import Sample
from trainer import Trainer

BARE = "no debugger"
STEPS = 20
PROGRAM = "training_loop.py"
WARM_UP = 10
MOST_OF_BARE = 1.05
"""How often a step's bare time we may take."""


def trainer(peer: str, stops: Sequence[dict[str, str]] = (), program: str = PROGRAM) -> Trainer:
    """Of a peer's session; `stops` are breakpoints that never stop it."""

    def start(port: str) -> AbstractContextManager[object]:
        return _bare(program, port) if peer == BARE else launched(peer, program, [port], stops)

    return Trainer(start, WARM_UP, STEPS)


@contextlib.contextmanager
def _bare(program: str, port: str) -> Iterator[None]:
    process = subprocess.Popen([sys.executable, str(DEBUGGEES / program), port])
    try:
        yield
    finally:
        process.kill()
        process.wait()


def run(quick: bool) -> Benchmark:
    processes, blocks = (1, 40) if quick else (4, 150)
    peers = (OURS, PLAIN, BARE)
    taken: dict[str, dict[str, list[float]]] = {"cpu": defaultdict(list), "wall": defaultdict(list)}
    for process in range(processes):
        say(f"processes {process + 1} of {processes}")
        with contextlib.ExitStack() as stack:
            order = peers[process % 3 :] + peers[: process % 3]
            trainers = {peer: stack.enter_context(trainer(peer)) for peer in order}
            for turn in range(blocks):
                for peer in order[turn % 3 :] + order[: turn % 3]:
                    for clock, seconds in trainers[peer].block().items():
                        taken[clock][peer].append(seconds)
    names = {"cpu": "CPU time of the training thread", "wall": "wall time"}
    rows = [
        Row(
            f"one step, {names[clock]}",
            {peer: Sample.of(times[peer]) for peer in peers},
            at_least={PLAIN: 1.0, BARE: 1 / MOST_OF_BARE},
        )
        for clock, times in taken.items()
    ]
    return Benchmark(
        "A training loop with the session attached and no breakpoint",
        rows,
        notes=[
            f"{processes} processes of each, blocks of {STEPS} steps in turns. Up to Python 3.11 pydevd "
            "traces every call; TensorPeek takes that out while nothing needs it."
        ],
    )
