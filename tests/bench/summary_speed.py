"""Exact summaries of tensors of every kind and size, in this process."""

from __future__ import annotations

from functools import partial

import torch
from progress import say
from report import Benchmark, Row
from summary_cases import CASES, CONTENDERS, LOVELY, NUMBERS, SUM, TORCH, Case
from timing import interleave

SUM_PASSES = 7
"""The most that a summary of 1e8 f32 may cost, in passes of torch.sum over the same memory."""


def run(quick: bool) -> Benchmark:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    return Benchmark(
        "Exact summary of one tensor",
        [_row(case, quick) for case in CASES],
        notes=[
            "One thread for everybody: on a busy machine torch's own threads wait for each other.",
            "TensorPeek and lovely-tensors make the whole line. torch is compared with the numbers alone:",
            "min, max, mean, std, NaN, +Inf, −Inf, zeros.",
        ],
    )


def _row(case: Case, quick: bool) -> Row:
    say(case.name)
    tensor = case.make()
    contenders = {name: partial(work, tensor) for name, work in CONTENDERS.items()}
    samples = interleave(contenders, rounds=5 if quick else 21, longest=4 if quick else 25)
    at_least = {LOVELY: 1.0, TORCH: 1.0}
    if case.name == "f32, 1e8":
        at_least[SUM] = 1 / SUM_PASSES
    note = "" if tensor.is_floating_point() else "torch: mean of .float()"
    return Row(case.name, samples, {TORCH: NUMBERS, SUM: NUMBERS}, at_least, note=note)
