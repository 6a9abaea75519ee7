"""The other Pythons of this machine: those on PATH, and those that pyenv keeps."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path


@cache
def find_python(version: str) -> str | None:
    """A Python of this version, as in `3.9`, None where there is none."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    on_path = shutil.which(f"python{version}")
    candidates = [*sorted(pyenv.glob(f"{version}.*/bin/python")), *([on_path] if on_path else [])]
    return next((str(python) for python in candidates if _runs(str(python))), None)


def _runs(python: str) -> bool:
    """pyenv leaves commands on PATH that start nothing."""
    return subprocess.run([python, "--version"], capture_output=True, timeout=30).returncode == 0
