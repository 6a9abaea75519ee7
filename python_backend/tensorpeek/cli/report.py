"""`python -m tensorpeek report`: what a profiled run says, as Markdown."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tensorpeek.cli.console import clean
from tensorpeek.profiling.report import markdown
from tensorpeek.runs import profile_file
from tensorpeek.runs.folder import RUNS


def report(words: list[str]) -> None:
    """Prints the report; raises SystemExit where there is none."""
    parser = argparse.ArgumentParser(
        prog="python -m tensorpeek report",
        description="Prints what a profiled run says, as Markdown.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "run", nargs="?", metavar="RUN", help="a run folder or its name; by default the newest with a profile"
    )
    parser.add_argument(
        "--runs", type=Path, default=RUNS, metavar="DIR", help=f"the folder of all runs ({RUNS.as_posix()})"
    )
    options = parser.parse_args(words)
    folder = _folder(options.run, options.runs)
    if folder is None:
        parser.exit(1, f"tensorpeek: {options.runs} has no run with a profile\n")
    profile = profile_file.read(folder)
    if profile is None:
        parser.exit(1, f"tensorpeek: {folder / profile_file.NAME} is absent, damaged or of another version\n")
    sys.stdout.write(clean(markdown(profile)) + "\n")


def _folder(run: str | None, runs: Path) -> Path | None:
    if run is None:
        return profile_file.newest(runs)
    path = Path(run)
    if path.name == profile_file.NAME:
        path = path.parent
    return path if path.is_dir() else runs / run
