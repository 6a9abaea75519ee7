"""Counts the threads of the process before and after looking at large tensors."""

from __future__ import annotations

import sys
from pathlib import Path

from every_dtype import tensors, torch

from tensorpeek.probe.budget import Deadline
from tensorpeek.probe.statistics import scan_tensor


def count() -> int:
    return len(list(Path("/proc/self/task").iterdir()))


torch.set_num_threads(1)
looked_at = tensors(300_000)
torch.set_num_threads(4)
before = count()
for tensor in looked_at:
    scan = scan_tensor(tensor)
    assert scan is not None
    scan.advance(Deadline.never())
    assert scan.statistics.exact
sys.stdout.write("no new thread\n" if count() == before else f"{count() - before} new threads\n")
