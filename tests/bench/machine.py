"""What the numbers were measured on."""

from __future__ import annotations

import os
import platform
from datetime import datetime, timezone
from importlib import metadata
from pathlib import Path


def describe() -> dict[str, str]:
    """Date, processor, cores, and the versions that matter; all as text for a reader."""
    return {
        "date": datetime.now(timezone.utc).strftime("%Y-%m-%d"),
        "cpu": _cpu(),
        "cores": str(len(os.sched_getaffinity(0))),
        "system": platform.platform(aliased=True, terse=True),
        "python": platform.python_version(),
        **{name: metadata.version(name) for name in ("torch", "numpy", "debugpy", "lovely-tensors")},
    }


def _cpu() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()
