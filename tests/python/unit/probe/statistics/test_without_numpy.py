"""The same statistics in a process that never imported numpy."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROGRAMS = Path(__file__).parents[1] / "programs"
BACKEND = Path(__file__).parents[5] / "python_backend"


def test_without_numpy() -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(BACKEND), str(PROGRAMS)])}
    done = subprocess.run(
        [sys.executable, str(PROGRAMS / "without_numpy.py"), "no-numpy"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "right without numpy\n"
