"""The words of `python -m tensorpeek profile`: ours up to the script or `-m MODULE`, the rest is its own."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from tensorpeek.cli.words import split_words
from tensorpeek.runs.folder import RUNS

WITH_VALUE = ("--warmup", "--active", "--steps", "--runs", "--json")


@dataclass(frozen=True)
class ProfileOptions:
    warmup: int
    """Steps before those whose operations are recorded."""
    active: int
    """Steps whose operations are recorded; 0 for none."""
    steps: int
    """After so many the program is ended; 0 for never."""
    runs: Path
    json: Path | None
    is_module: bool
    target: str
    """A script's path or a module's name."""
    arguments: list[str]


def parse(words: list[str]) -> ProfileOptions:
    """What follows `profile`. Prints help or what is wrong, and raises SystemExit, as argparse does."""
    parser = _parser()
    ours, is_module, rest = split_words(words, WITH_VALUE)
    options = parser.parse_args(ours)
    if not rest:
        parser.error("a script or -m MODULE is missing")
    if options.warmup < 1 or options.active < 0 or options.steps < 0:
        parser.error("--warmup is at least 1, --active and --steps at least 0")
    active = 0 if options.no_kineto else options.active
    return ProfileOptions(
        options.warmup, active, options.steps, options.runs, options.json, is_module, rest[0], rest[1:]
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tensorpeek profile",
        usage="%(prog)s [options] (SCRIPT | -m MODULE) [arguments of the program …]",
        description="Runs a program that trains and says where the time and the memory of its steps go.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--warmup", type=int, default=5, metavar="N", help="steps before operations are recorded (5)"
    )
    parser.add_argument(
        "--active", type=int, default=5, metavar="N", help="steps whose operations are recorded (5)"
    )
    parser.add_argument(
        "--no-kineto", action="store_true", help="record no operations: torch's profiler stays off"
    )
    parser.add_argument(
        "--steps", type=int, default=0, metavar="N", help="end the program after so many steps"
    )
    parser.add_argument(
        "--runs", type=Path, default=RUNS, metavar="DIR", help=f"the folder of all runs ({RUNS.as_posix()})"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the whole record there")
    return parser
