"""A line with a conditional breakpoint that never stops: what it costs each time that the line is reached."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from typing import NamedTuple

from free_running import STEPS, trainer
from paused import PLAIN
from progress import say
from report import OURS, Benchmark, Row
from timing import Sample

PROGRAM = "hits.py"
HITS = 50
"""Of the line, in what the program calls a step."""


class Watched(NamedTuple):
    """The same wish as a user of each would write it."""

    work: str
    ours: dict[str, str]
    debugpys: dict[str, str]


SAME = {"condition": "loss.item() > 100 or torch.isnan(loss)"}
CASES = (
    Watched("`loss.item() > 100 or torch.isnan(loss)` in both", SAME, SAME),
    Watched(
        "`tp.nonfinite(loss)`; debugpy: `not torch.isfinite(loss)`",
        {"condition": "tp.nonfinite(loss)"},
        {"condition": "not torch.isfinite(loss)"},
    ),
    Watched(
        "`tp.spike(loss, factor=100)`; debugpy: `loss.item() > 100`",
        {"condition": "tp.spike(loss, factor=100)"},
        {"condition": "loss.item() > 100"},
    ),
    Watched("log message `loss={loss.item()}`", *[{"logMessage": "loss={loss.item()}"}] * 2),
)
"""Each beside what comes nearest to it in debugpy."""


def run(quick: bool) -> Benchmark:
    processes, blocks = (1, 30) if quick else (3, 100)
    rows = [_row(case, processes, blocks) for case in CASES]
    return Benchmark(
        "A conditional breakpoint that does not stop, CPU time each time the line is reached",
        rows,
        notes=[
            f"{processes} processes of each, blocks of {STEPS * HITS} times in turns. pydevd's tracing of "
            "the line is in both."
        ],
    )


def _row(case: Watched, processes: int, blocks: int) -> Row:
    peers = (OURS, PLAIN)
    taken: dict[str, list[float]] = defaultdict(list)
    for process in range(processes):
        say(f"{case.work}: processes {process + 1} of {processes}")
        with contextlib.ExitStack() as stack:
            texts = {OURS: case.ours, PLAIN: case.debugpys}
            order = peers[process % 2 :] + peers[: process % 2]
            trainers = {
                peer: stack.enter_context(trainer(peer, [{"marker": "watched", **texts[peer]}], PROGRAM))
                for peer in order
            }
            for turn in range(blocks):
                for peer in order[turn % 2 :] + order[: turn % 2]:
                    taken[peer].append(trainers[peer].block()["cpu"] / HITS)
    samples = {peer: Sample.of(taken[peer]) for peer in peers}
    return Row(case.work, samples, at_least={PLAIN: 1.0})
