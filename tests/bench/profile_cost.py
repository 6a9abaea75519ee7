"""What a profile costs a training outside of the window in which operations are recorded."""

from __future__ import annotations

import json
import subprocess
import sys

from paused import DEBUGGEES
from progress import say
from report import OURS, Benchmark, Row
from timing import Sample

BARE = "bare"
AT_MOST = {"cnn": 1.02, "transformer": 1.04}
WORDS = {"cnn": "convolutions with a slow loader", "transformer": "transformer of two layers"}


def run(quick: bool) -> Benchmark:
    blocks = 6 if quick else 40
    rows: list[Row] = []
    ratios: list[str] = []
    for kind, most in AT_MOST.items():
        say(kind)
        ended = subprocess.run(
            [sys.executable, str(DEBUGGEES / "profiled_training.py"), kind, str(blocks)],
            check=True,
            capture_output=True,
            text=True,
        )
        taken: dict[str, list[float]] = json.loads(ended.stdout)
        pairs = Sample.of([ours / bare for ours, bare in zip(taken["profiled"], taken["bare"], strict=True)])
        ratios.append(f"{WORDS[kind]}: {pairs.median:.3f} ({pairs.quarter:.3f}–{pairs.three_quarters:.3f})")
        rows.append(
            Row(
                f"one step, {WORDS[kind]}, processor time",
                {OURS: Sample.of(taken["profiled"]), BARE: Sample.of(taken["bare"])},
                at_least={BARE: 1 / most},
                note=f"asked: at most {most:g} of the bare step",
            )
        )
    return Benchmark(
        "Training under a profile",
        rows,
        notes=[
            f"{blocks} blocks of each, in turns, in one process. Ratio of neighbouring blocks, median "
            f"(quartiles): {'; '.join(ratios)}.",
        ],
    )
