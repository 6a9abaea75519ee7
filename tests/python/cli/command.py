"""Runs `python -m tensorpeek run`, and the same program with Python alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from harness import DEBUGGEES

BACKEND = DEBUGGEES.parents[1] / "python_backend"
PROGRAM = DEBUGGEES / "command_line.py"


def tensorpeek(
    *words: str, cwd: Path, text: str = "", environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return python("-m", "tensorpeek", *words, cwd=cwd, text=text, environment=environment)


def python(
    *words: str, cwd: Path, text: str = "", environment: dict[str, str] | None = None, patience: float = 90
) -> subprocess.CompletedProcess[str]:
    present = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return subprocess.run(
        [sys.executable, *words],
        cwd=cwd,
        input=text,
        text=True,
        capture_output=True,
        timeout=patience,
        env={**present, "PYTHONPATH": str(BACKEND), **(environment or {})},
    )
