"""The memory that a summary of 1e8 f32 needs beside the tensor, each contender in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import tracemalloc
from pathlib import Path

from progress import say
from report import OURS, Benchmark, Row
from timing import Sample

CASE = "f32, 1e8"
QUICK_CASE = "bf16, 1e7"
MOST = 2 * 2**20
"""Bytes."""


def run(quick: bool) -> Benchmark:
    from summary_cases import LOVELY, TORCH

    rounds = 1 if quick else 3
    rows: list[Row] = []
    for case in (QUICK_CASE,) if quick else (CASE, QUICK_CASE):
        say(case)
        results = {peer: [_in_a_process(case, peer) for _ in range(rounds)] for peer in (OURS, LOVELY, TORCH)}
        resident = {peer: Sample.of([r["resident"] for r in taken]) for peer, taken in results.items()}
        traced = {OURS: Sample.of([r["traced"] for r in results[OURS]])}
        rows += [
            Row(f"{case}, resident", resident, at_most=MOST),
            Row(f"{case}, traced", traced, at_most=MOST),
        ]
    return Benchmark(
        "Extra memory at the peak of one summary",
        rows,
        unit="B",
        notes=[
            "Resident: by how much the process's high-water mark (VmHWM) grows at the first summary.",
            "Traced: what Python and numpy allocate, by tracemalloc, which does not see torch.",
        ],
    )


def _in_a_process(case: str, peer: str) -> dict[str, float]:
    paths = json.dumps(sys.path)
    done = subprocess.run(
        [sys.executable, __file__, paths, case, peer], capture_output=True, text=True, check=True, timeout=300
    )
    return json.loads(done.stdout)


def _measure(case_name: str, peer: str) -> None:
    import torch
    from summary_cases import CASES, CONTENDERS

    torch.set_num_threads(1)
    work = CONTENDERS[peer]
    work(torch.zeros(3))
    tensor = next(case for case in CASES if case.name == case_name).make()
    tracemalloc.start()
    Path("/proc/self/clear_refs").write_text("5")
    before = _status("VmRSS")
    work(tensor)
    resident = max(0, _status("VmHWM") - before)
    _, peak = tracemalloc.get_traced_memory()
    print(json.dumps({"resident": resident, "traced": peak}))


def _status(name: str) -> int:
    """Bytes of a line of /proc/self/status."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1]) * 1024
    raise LookupError(name)


if __name__ == "__main__":
    sys.path[:0] = json.loads(sys.argv[1])
    _measure(sys.argv[2], sys.argv[3])
