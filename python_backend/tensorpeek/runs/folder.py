"""The folder that one process of one run writes into: `.tensorpeek/runs/20261130-031500-train`."""

from __future__ import annotations

import os
import re
import sys
from datetime import datetime
from pathlib import Path

from tensorpeek.contract.messages import CONTRACT_VERSION, RunInfo
from tensorpeek.runs import run_file

OURS = ".tensorpeek"
"""The folder for everything of ours in the user's project; git is told to ignore it."""
RUNS = Path(OURS, "runs")
LONGEST_PROGRAM = 40


class RunFolder:
    """Made on disk when the first line is to be written, so that a silent run leaves nothing."""

    def __init__(self, runs: Path, program: str, arguments: list[str], started: datetime) -> None:
        """`runs` is the folder of all runs; `program` is a script's path or a module's name, as started."""
        self._runs = runs.absolute()
        self._program = program
        self._arguments = arguments
        self._started = started
        self._path: Path | None = None

    @property
    def written(self) -> Path | None:
        """None while nothing was written."""
        return self._path

    def path(self) -> Path:
        """The folder, which exists from now on. Raises OSError where it can't be made."""
        if self._path is None:
            self._path = self._make()
            run_file.write(self._path, self._info())
        elif not self._path.is_dir():
            # Of a run that had only a trace, a later run may have removed it.
            self._path.mkdir(parents=True)
            run_file.write(self._path, self._info())
        return self._path

    def _make(self) -> Path:
        self._runs.mkdir(parents=True, exist_ok=True)
        if self._runs.parent.name == OURS:
            ignore(self._runs.parent)
        name = run_name(self._program, self._started, rank())
        for attempt in range(1, 1000):
            path = self._runs / (name if attempt == 1 else f"{name}.{attempt}")
            try:
                path.mkdir()
            except FileExistsError:
                continue
            return path
        raise FileExistsError(self._runs / name)

    def _info(self) -> RunInfo:
        torch = sys.modules.get("torch")
        return {
            "contractVersion": CONTRACT_VERSION,
            "program": self._program,
            "arguments": self._arguments,
            "started": self._started.isoformat(timespec="seconds"),
            "python": ".".join(map(str, sys.version_info[:3])),
            "torch": str(getattr(torch, "__version__", "")),
            "pid": os.getpid(),
            "rank": rank() or 0,
        }


def now() -> datetime:
    """The time with its offset from UTC."""
    return datetime.now().astimezone()


def rank() -> int | None:
    """This process's number in a run of several, as torchrun tells it; None in a run of one."""
    number, size = os.environ.get("RANK", ""), os.environ.get("WORLD_SIZE", "")
    return int(number) if number.isdigit() and size.isdigit() and int(size) > 1 else None


def run_name(program: str, started: datetime, number: int | None) -> str:
    """As in `20261130-031500-train` and `20261130-031500-train-rank1`; sorts by time."""
    stem = Path(program).stem if program.endswith((".py", ".pyw")) else Path(program).name
    word = re.sub(r"[^\w.-]+", "-", stem).strip("-.")[:LONGEST_PROGRAM] or "run"
    suffix = "" if number is None else f"-rank{number}"
    return f"{started:%Y%m%d-%H%M%S}-{word}{suffix}"


def newest_first(runs: Path) -> list[Path]:
    """All run folders below the folder of all runs; empty where there is none."""
    try:
        names = sorted((entry.name for entry in os.scandir(runs) if NAME.match(entry.name)), reverse=True)
    except OSError:
        return []
    return [runs / name for name in names]


def newest_runs(runs: Path) -> list[Path]:
    """The folders of the latest run, one for each rank, in their order; empty where there is none."""
    try:
        names = sorted(entry.name for entry in os.scandir(runs) if entry.is_dir() and NAME.match(entry.name))
    except OSError:
        return []
    if not names:
        return []
    rankless = RANK.sub("", names[-1])
    program = rankless[TIME_LENGTH:]
    # Ranks start within a second or two of each other, so that the time alone would tell them apart.
    of_run = [name for name in names if RANK.search(name) and RANK.sub("", name)[TIME_LENGTH:] == program]
    same = [name for name in of_run if abs(_seconds(name) - _seconds(names[-1])) <= SAME_RUN_SECONDS]
    return [runs / name for name in sorted(same, key=_rank)] if RANK.search(names[-1]) else [runs / names[-1]]


NAME = re.compile(r"\d{8}-\d{6}-")
RANK = re.compile(r"-rank(\d+)(?=$|\.\d+$)")
TIME_LENGTH = len("20261130-031500")
SAME_RUN_SECONDS = 10


def _rank(name: str) -> int:
    found = RANK.search(name)
    return int(found[1]) if found else 0


def _seconds(name: str) -> float:
    try:
        return datetime.strptime(name[:TIME_LENGTH], "%Y%m%d-%H%M%S").timestamp()
    except ValueError:
        return 0.0


def ignore(folder: Path) -> None:
    """Keeps git from seeing what is ours; a file that the user wrote there stays."""
    try:
        with (folder / ".gitignore").open("x", encoding="utf-8") as file:
            file.write("*\n")
    except FileExistsError:
        pass
