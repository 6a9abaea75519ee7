"""The words of `python -m tensorpeek run`: ours up to the script or `-m MODULE`, the rest is its own."""

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass
from pathlib import Path

from tensorpeek.catalogue.conditions import BY_ID, CONDITIONS, chosen
from tensorpeek.catalogue.settings import SettingsProblem, parse_settings, usage
from tensorpeek.runs.folder import RUNS

ON_BREAK = ("report", "exit", "pdb", "listen")
EXIT_CODE = 3
"""Of a program that a finding ended. Python itself uses 1 and 2."""
WITH_VALUE = ("--break", "--on-break", "--runs", "--budget")
SETTING = re.compile(r"\s*[A-Za-z_]\w*\s*=")


@dataclass(frozen=True)
class RunOptions:
    conditions: dict[str, dict[str, float]]
    """The settings of each condition that is to hold, by id."""
    on_break: str
    runs: Path
    budget_percent: float
    traces_shapes: bool
    """Of the first step."""
    is_module: bool
    target: str
    """A script's path or a module's name."""
    arguments: list[str]


def parse(words: list[str]) -> RunOptions:
    """What follows `run`. Prints help or what is wrong, and raises SystemExit, as argparse does."""
    end = _end_of_ours(words)
    parser = _parser()
    ours = parser.parse_args(words[:end])
    rest = words[end:]
    is_module = bool(rest) and rest[0].startswith("-m")
    if is_module:
        rest = [rest[0][2:], *rest[1:]] if len(rest[0]) > 2 else rest[1:]
    elif rest[:1] == ["--"]:
        rest = rest[1:]
    if not rest:
        parser.error("a script or -m MODULE is missing")
    try:
        conditions = parse_conditions(getattr(ours, "break"))
    except (SettingsProblem, KeyError) as problem:
        parser.error(problem.args[0])
    if not 0 <= ours.budget <= 100:
        parser.error(f"--budget {ours.budget:g} is not a share in percent")
    return RunOptions(
        conditions,
        ours.on_break,
        ours.runs,
        ours.budget,
        not ours.no_shapes,
        is_module,
        rest[0],
        rest[1:],
    )


def parse_conditions(words: str) -> dict[str, dict[str, float]]:
    """`nan,spike factor=4 window=20` as settings by id; `none` is nothing.

    Raises KeyError with a sentence where a word names no condition, and SettingsProblem.
    """
    found: dict[str, dict[str, float]] = {}
    for part in _parts(words):
        word, _, text = part.partition(" ")
        if word == "none":
            continue
        try:
            named = chosen(word)
        except KeyError:
            raise KeyError(f"--break: no condition is named {word!r}; see --help for their names") from None
        for info in named:
            known = {parameter.name for parameter in info.parameters}
            # A word that names several conditions gives each of them the settings that it has.
            fitting = _only(text, known) if len(named) > 1 else text
            found[info.id] = parse_settings(info, fitting)
    return {info.id: found[info.id] for info in CONDITIONS if info.id in found}


def _parts(words: str) -> list[str]:
    """The words with their settings; a comma also separates settings."""
    parts: list[str] = []
    for part in filter(None, (part.strip() for part in words.split(","))):
        if parts and SETTING.match(part):
            parts[-1] += " " + part
        else:
            parts.append(part)
    return parts


def _only(text: str, names: set[str]) -> str:
    return " ".join(word for word in text.split() if word.partition("=")[0] in names or "=" not in word)


def _end_of_ours(words: list[str]) -> int:
    """Where the program's own words begin, which may look like ours."""
    position = 0
    while position < len(words):
        word = words[position]
        if word == "--" or not word.startswith("-") or (word.startswith("-m") and not word.startswith("--")):
            break
        position += 2 if word in WITH_VALUE else 1
    return position


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tensorpeek run",
        usage="%(prog)s [options] (SCRIPT | -m MODULE) [arguments of the program …]",
        description="Runs a program and says on stderr when its training goes wrong, and at which line.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=_epilog(),
        allow_abbrev=False,
    )
    parser.add_argument(
        "--break",
        default="recommended",
        metavar="WORDS",
        help="what to watch for, separated by commas, with settings where wanted: "
        "'nan,spike factor=4'; also all, recommended (the default) and none",
    )
    parser.add_argument(
        "--on-break",
        choices=ON_BREAK,
        default="report",
        help=f"report: go on (the default); exit: end with code {EXIT_CODE}; pdb: open pdb in your frame; "
        "listen: wait for a debugger to attach there",
    )
    parser.add_argument(
        "--runs", type=Path, default=RUNS, metavar="DIR", help=f"the folder of all runs ({RUNS.as_posix()})"
    )
    parser.add_argument(
        "--budget",
        type=float,
        default=0.5,
        metavar="PERCENT",
        help="the share of the training's time that sampled checks may take (0.5)",
    )
    parser.add_argument(
        "--no-shapes", action="store_true", help="do not trace the shapes of the first step's forward pass"
    )
    return parser


def _epilog() -> str:
    lines = ["what can be watched for (* not among the recommended):"]
    for info in BY_ID.values():
        words = ", ".join(dict.fromkeys((info.id, *info.aliases)))
        lines.append(f"  {words}{'' if info.is_recommended else ' *'}")
        lines.append(f"      {info.description}".replace("%", "%%"))
        if info.parameters:
            lines.append(f"      {usage(info)}".replace("%", "%%"))
    return "\n".join(lines)
