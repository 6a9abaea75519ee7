"""The words of `python -m tensorpeek shapes`: ours up to the script or `-m MODULE`, the rest is its own."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from tensorpeek.runs.folder import RUNS

WITH_VALUE = ("--call", "--json", "--library-sources", "--runs")
OURS = (*WITH_VALUE, "--all-sources", "--table")


@dataclass(frozen=True)
class ShapesOptions:
    call: str
    """`FILE_OR_MODULE:Class`; empty for the first model that the program calls."""
    json: Path | None
    shows_table: bool
    library_sources: tuple[str, ...]
    """Packages whose source is annotated as well."""
    has_all_sources: bool
    runs: Path
    is_module: bool
    target: str
    """A script's path or a module's name; empty where only `--call` says what is traced."""
    arguments: list[str]


def is_ours(word: str) -> bool:
    return word.partition("=")[0] in OURS


def parse(words: list[str]) -> ShapesOptions:
    """What follows `shapes`. Prints help or what is wrong, and raises SystemExit, as argparse does."""
    end = _end_of_ours(words)
    parser = _parser()
    ours = parser.parse_args(words[:end])
    rest = words[end:]
    is_module = bool(rest) and rest[0].startswith("-m")
    if is_module:
        rest = [rest[0][2:], *rest[1:]] if len(rest[0]) > 2 else rest[1:]
    elif rest[:1] == ["--"]:
        rest = rest[1:]
    if not rest and (is_module or not ours.call):
        parser.error("a script, -m MODULE or --call is missing")
    if ours.call and not all(ours.call.rpartition(":")[::2]):
        parser.error(f"--call {ours.call}: it is FILE:Class or MODULE:Class")
    listed = ",".join(ours.library_sources).split(",")
    packages = tuple(name.strip() for name in listed if name.strip())
    return ShapesOptions(
        ours.call, ours.json, ours.table, packages, ours.all_sources, ours.runs, is_module, *_split(rest)
    )


def _split(rest: list[str]) -> tuple[str, list[str]]:
    return (rest[0], rest[1:]) if rest else ("", [])


def _end_of_ours(words: list[str]) -> int:
    position = 0
    while position < len(words):
        word = words[position]
        if word == "--" or not word.startswith("-") or (word.startswith("-m") and not word.startswith("--")):
            break
        position += 2 if word in WITH_VALUE else 1
    return position


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tensorpeek shapes",
        usage="%(prog)s [options] (SCRIPT | -m MODULE) [arguments of the program …]",
        description="Prints the source of a model with the shape of each line, from a pass without data. "
        "The program runs until it first calls a model, and ends there.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--call",
        default="",
        metavar="FILE:Class",
        help="the model to trace, also MODULE:Class; its input is what is marked by example_input, "
        "or else what the program calls it with",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the whole record there")
    parser.add_argument(
        "--library-sources",
        action="append",
        default=[],
        metavar="PACKAGE,…",
        help="also annotate the files of these packages that the model is made of, as transformers",
    )
    parser.add_argument(
        "--all-sources",
        action="store_true",
        help="the same for every package but torch, which is left alone",
    )
    parser.add_argument("--table", action="store_true", help="print the tree of modules instead of source")
    parser.add_argument(
        "--runs", type=Path, default=RUNS, metavar="DIR", help=f"the folder of all runs ({RUNS.as_posix()})"
    )
    return parser
