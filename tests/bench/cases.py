"""The case score: what `tensorpeek run` finds in programs with a known fault, and in the same programs
corrected; of the group `perf`, what `tensorpeek profile` advises.

`cases.py FOLDER [GROUP …] [--twins] [--say] [--only TEXT]`. FOLDER holds a folder per group with scripts
whose first line is `# expect: what an ideal debugger says`, and in each a folder `fixed` with their corrected
twins, in which every finding is a false alarm. The repository holds no such scripts.

A fault is found when a finding, or a line that it names, is on a line that the expected words name; where
those name no line, when it names a parameter or module of theirs. Each program runs in a process of its own,
forked when torch is loaded: most of a short script's time is importing it.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import select
import shutil
import signal
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python_backend"))

from tensorpeek.contract.messages import Finding
from tensorpeek.runs import findings_file, profile_file

GROUPS = ("nan", "silent", "device", "memory")
"""Those whose faults a training-wide condition can see."""
PROFILED = ("perf",)
"""Those whose faults are a matter of time: given by name, they are profiled."""
LINE = re.compile(r"\blines? (\d+)(?: and (\d+))?")
NAME = re.compile(r"`[^`]+`|\b\w+\[\d[\d, ]*\]")
TIME_LIMIT = 120


@dataclass(frozen=True)
class Outcome:
    path: Path
    is_twin: bool
    findings: list[Finding]
    problem: str

    @property
    def verdict(self) -> str:
        if self.is_twin:
            return "false alarm" if self.findings else "silent"
        if not self.findings:
            return "missed"
        lines, names = expected(self.path)
        if any(lines_of(each) & lines for each in self.findings):
            return "found"
        if not lines and any(
            name in each["message"].replace("`", "") for each in self.findings for name in names
        ):
            return "found"
        return "other line"


def expected(path: Path) -> tuple[set[int], set[str]]:
    """The lines that the expected words name, and the names in them."""
    first = path.read_text(encoding="utf-8").partition("\n")[0]
    lines = {int(number) for match in LINE.finditer(first) for number in match.groups() if number}
    return lines, {name.strip("`") for name in NAME.findall(first)}


def lines_of(finding: Finding) -> set[int]:
    """The line of a finding, and those that it names."""
    lines = {finding["line"], *(related["line"] for related in finding["related"])}
    return lines | {
        int(number) for match in LINE.finditer(finding["message"]) for number in match.groups() if number
    }


def run_case(path: Path, is_twin: bool, words: str) -> Outcome:
    # Not TemporaryDirectory: what it registers to be done at exit, the forked program would do.
    runs = tempfile.mkdtemp()
    is_profiled = (path.parent.parent if is_twin else path.parent).name in PROFILED
    command = ["profile"] if is_profiled else ["run", "--break", words]
    try:
        problem = _run_forked(path, [*command, "--runs", runs])
        folders = list(Path(runs).iterdir())
        read = advice if is_profiled else findings_file.read
        findings = read(folders[0]) if folders else []
    finally:
        shutil.rmtree(runs, ignore_errors=True)
    return Outcome(path, is_twin, findings, problem)


def advice(folder: Path) -> list[Finding]:
    """Of a profile, as findings; what it was not sure of is none."""
    profile = profile_file.read(folder)
    if profile is None:
        return []
    return [
        {
            "number": number,
            "condition": each["rule"],
            "title": each["title"],
            "message": each["message"],
            "value": None,
            "threshold": None,
            "path": each["path"],
            "line": each["line"],
            "lineText": "",
            "step": profile["steps"],
            "epoch": -1,
            "rank": 0,
            "module": "",
            "history": [],
            "evidence": each["evidence"],
            "next": each["next"],
            "related": each["related"],
            "stopped": False,
            "time": profile["time"],
        }
        for number, each in enumerate(profile["advice"], 1)
    ]


def _run_forked(path: Path, command: list[str]) -> str:
    """Runs the program as `python -m tensorpeek …` does; returns what went wrong with us or with time."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _be_the_program(path, command, writing)
    os.close(writing)
    deadline, output = time.monotonic() + TIME_LIMIT, b""
    while (left := deadline - time.monotonic()) > 0:
        if select.select([reading], [], [], left)[0]:
            part = os.read(reading, 65536)
            if not part:
                break
            output += part
    else:
        os.kill(child, signal.SIGKILL)
        output += b"\nTensorPeek: the time is over"
    os.close(reading)
    os.waitpid(child, 0)
    text = output.decode(errors="replace")
    return "; ".join(line for line in text.splitlines() if "switched off" in line or "time is over" in line)


def _be_the_program(path: Path, command: list[str], stderr: int) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(stderr, 2)
    sys.argv = ["tensorpeek", *command, str(path)]
    os.chdir(path.parent)
    from tensorpeek import __main__

    try:
        with contextlib.suppress(SystemExit):
            __main__.main()
    except BaseException as error:  # the program's own end, as Python's last handler sees it
        sys.excepthook(type(error), error, error.__traceback__)
    finally:
        import atexit

        atexit._run_exitfuncs()
        sys.stderr.flush()
        os._exit(0)


def main() -> None:
    parser = argparse.ArgumentParser(description="What is found in programs with known faults.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("groups", nargs="*", default=GROUPS)
    parser.add_argument(
        "--twins", action="store_true", help="the corrected twins of every group, and no fault"
    )
    parser.add_argument("--say", action="store_true", help="what was said, beside the verdict")
    parser.add_argument("--only", default="", help="programs whose names hold this text")
    parser.add_argument("--break", dest="words", default="recommended")
    options = parser.parse_args()
    import torch

    torch.set_num_threads(1)
    counts: dict[str, dict[str, int]] = {}
    for is_twin in (False, True):
        if options.twins and not is_twin:
            continue
        for path in _paths(options, is_twin):
            outcome = run_case(path, is_twin, options.words)
            group = f"{path.parent.parent.name if is_twin else path.parent.name}{' fixed' if is_twin else ''}"
            row = counts.setdefault(group, {})
            row[outcome.verdict] = row.get(outcome.verdict, 0) + 1
            _show(outcome, options.say)
    print()
    for group, row in counts.items():
        print(f"{group:<14}", ", ".join(f"{verdict}: {count}" for verdict, count in sorted(row.items())))
    total: dict[str, int] = {}
    for row in counts.values():
        for verdict, count in row.items():
            total[verdict] = total.get(verdict, 0) + count
    print(f"{'all':<14}", ", ".join(f"{verdict}: {count}" for verdict, count in sorted(total.items())))


def _paths(options: argparse.Namespace, is_twin: bool) -> list[Path]:
    folders = [path for path in sorted(options.folder.iterdir()) if path.is_dir()]
    if not options.twins:
        folders = [path for path in folders if path.name in options.groups]
    paths = [
        path for folder in folders for path in sorted((folder / "fixed" if is_twin else folder).glob("*.py"))
    ]
    return [path for path in paths if options.only in path.name]


def _show(outcome: Outcome, says: bool) -> None:
    print(
        f"{outcome.verdict:<12} {outcome.path.stem}{'  ' + outcome.problem if outcome.problem else ''}",
        flush=True,
    )
    if says and not outcome.is_twin:
        print(f"    expected: {outcome.path.read_text().partition(chr(10))[0][10:]}")
    if says or outcome.verdict in ("false alarm", "other line"):
        for finding in outcome.findings:
            print(
                f"    {finding['condition']} step {finding['step']} line {finding['line']}: "
                f"{finding['message']}"
            )


if __name__ == "__main__":
    main()
