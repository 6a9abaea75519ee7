"""What `tensorpeek profile` writes of a program that waits for its data: a record with everything in it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from harness.session import DEBUGGEES, REPOSITORY
from tensorpeek.runs import profile_file


def of_a_profile() -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [sys.executable, "-m", "tensorpeek", "profile", str(DEBUGGEES / "slow_data.py")],
            cwd=folder,
            check=True,
            capture_output=True,
            timeout=90,
            env={**os.environ, "PYTHONPATH": str(REPOSITORY / "python_backend")},
        )
        run = profile_file.newest(Path(folder, ".tensorpeek", "runs"))
        assert run is not None
        profile = profile_file.read(run)
    assert profile is not None
    return {
        "Profile": profile,
        "ProfiledPhase": profile["phases"][0],
        "ProfiledSteps": profile["stepTable"],
        "ProfiledStep": profile["outliers"][0],
        "ProfiledLine": profile["lines"][0],
        "Sampling": profile["sampling"],
        "ProfiledStacks": profile["stacks"],
        "StackPlace": profile["stacks"]["frames"][0],
        "ProfiledLoader": profile["loaders"][0],
        "ProfiledModule": profile["modules"][0],
        "ProfiledOp": profile["ops"][0],
        "ProfiledSync": profile["syncs"][0],
        "ProfiledMemory": profile["memory"],
        "ProfiledFact": profile["facts"][0],
        "ProfileAdvice": profile["advice"][0],
    }
