"""Programs with a planted hot line: is it the one that the profile names, and how large is the record?"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from paused import DEBUGGEES
from progress import say
from report import OURS, Benchmark, Row
from timing import Sample

from tensorpeek.contract.messages import Profile
from tensorpeek.profiling.shares import line_share
from tensorpeek.runs import profile_file

SCRIPTS = Path(__file__).with_name("profile_scripts")
BACKEND = DEBUGGEES.parents[2] / "python_backend"
MARK = "# @hot"
MOST_BYTES = 2000
"""Of the record, for a step."""


def run(quick: bool) -> Benchmark:
    paths = sorted(SCRIPTS.glob("*.py"))
    rows: list[Row] = []
    right = 0
    for path in paths[:3] if quick else paths:
        say(path.stem)
        profile, size = profiled(path)
        hot = next(n for n, line in enumerate(path.read_text().splitlines(), 1) if line.endswith(MARK))
        found = profile["lines"][0]
        is_right = found["line"] == hot
        right += is_right
        rows.append(
            Row(
                path.stem.replace("_", " "),
                {OURS: Sample.of([size / max(1, profile["steps"])])},
                at_most=MOST_BYTES,
                note=f"{'the hot line' if is_right else 'another line'}, "
                f"{100 * line_share(profile, found):.0f} % of the time",
            )
        )
    return Benchmark(
        f"The hot line of {len(rows)} programs: {right} right; size of the record for a step",
        rows,
        unit="B",
        notes=["One run of each, operations not recorded."],
    )


def profiled(path: Path) -> tuple[Profile, int]:
    """The record, and its bytes."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [sys.executable, "-m", "tensorpeek", "profile", "--no-kineto", "--runs", folder, str(path)],
            check=True,
            capture_output=True,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(BACKEND)},
        )
        run_folder = profile_file.newest(Path(folder))
        profile = profile_file.read(run_folder) if run_folder is not None else None
        if run_folder is None or profile is None:
            raise SystemExit(f"{path.name} has no profile")
        return profile, (run_folder / profile_file.NAME).stat().st_size
