"""A training loop with a session attached and no breakpoint: what it costs to be debuggable."""

from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from types import TracebackType

from paused import DEBUGGEES, PLAIN, launched
from progress import say
from report import OURS, Benchmark, Row
from timing import Sample

BARE = "no debugger"
STEPS = 20
PROGRAM = "training_loop.py"
WARM_UP = 10
MOST_OF_BARE = 1.05
"""How often a step's bare time we may take."""


class Trainer:
    """A process that trains one block whenever it is told to; `stops` are breakpoints that never stop it."""

    def __init__(self, peer: str, stops: Sequence[dict[str, str]] = (), program: str = PROGRAM) -> None:
        self._peer = peer
        self._stops = stops
        self._program = program
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> Trainer:
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = str(server.getsockname()[1])
            self._stack.enter_context(
                _bare(self._program, port)
                if self._peer == BARE
                else launched(self._peer, self._program, [port], self._stops)
            )
            server.settimeout(60)
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
        return {clock: seconds / STEPS for clock, seconds in json.loads(self._answers.readline()).items()}


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
            trainers = {peer: stack.enter_context(Trainer(peer)) for peer in order}
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
