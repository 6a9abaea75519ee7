"""What the process is: its role in a run of several processes, and the versions in it."""

from __future__ import annotations

import os
import re
import sys
from typing import Any

from tensorpeek.contract.messages import ProcessInfo
from tensorpeek.probe import raw

OLDEST_TORCH = (2, 2)
"""Older ones lack calls that leave no trace in the program."""


def process_info(problem: str = "") -> ProcessInfo:
    return {
        "pid": os.getpid(),
        "name": role(),
        "python": ".".join(map(str, sys.version_info[:3])),
        "torch": version_of("torch"),
        "numpy": version_of("numpy"),
        "problem": problem or problem_of_torch(),
    }


def role() -> str:
    """`worker 0` of a DataLoader, `rank 3` of torchrun, else multiprocessing's name; empty for the main."""
    workers: Any = sys.modules.get("torch.utils.data._utils.worker")
    worker = getattr(workers, "_worker_info", None)
    if worker is not None:
        return f"worker {worker.id}"
    for variable in ("RANK", "LOCAL_RANK"):
        rank = os.environ.get(variable, "")
        if rank.isdigit():
            return f"rank {rank}"
    processes: Any = sys.modules.get("multiprocessing.process")
    name = processes.current_process().name if processes is not None else "MainProcess"
    return "" if name == "MainProcess" else name


def problem_of_torch() -> str:
    """Why tensors can't be read, empty when they can or when there are none."""
    version = version_of("torch")
    numbers = re.match(r"(\d+)\.(\d+)", version)
    if numbers is not None and (int(numbers[1]), int(numbers[2])) < OLDEST_TORCH:
        return f"torch {version} is older than {'.'.join(map(str, OLDEST_TORCH))}"
    return ""


def version_of(module: str) -> str:
    """Looked up without running anything: a module may load itself when it is asked."""
    version = raw.attribute(sys.modules.get(module), "__version__")
    return str.__str__(version) if raw.derives(version, str) else ""
