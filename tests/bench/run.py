"""Runs the benchmarks of `npm run bench`: `run.py [NAME …] [--quick] [--markdown]`.

Prints a table per benchmark and writes out/bench/NAME.json; `--markdown` also puts the tables in the README:
each between its own marks, or else between those of them all, which takes a run of them all.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
sys.path[:0] = [str(REPOSITORY / "python_backend"), str(REPOSITORY / "tests" / "python")]

NAMES = (
    "stop_requests",
    "summary_speed",
    "summary_memory",
    "large_frame",
    "hostile_values",
    "free_running",
    "line_conditions",
    "training_cost",
    "shape_hints",
    "profile_lines",
    "profile_cost",
    "shapes_step",
    "shapes",
    "shape_cost",
)
"""One module each, with `run(quick)` that gives a Benchmark or a Table."""

OUT = REPOSITORY / "out" / "bench"
START, END = "<!-- bench:start -->", "<!-- bench:end -->"


def main() -> None:
    parser = argparse.ArgumentParser(description="TensorPeek against its peers at the same work.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"any of {', '.join(NAMES)}; all by default")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, smaller caps")
    parser.add_argument("--markdown", action="store_true", help="write the tables into README.md")
    options = parser.parse_args()
    unknown = set(options.names) - set(NAMES)
    if unknown:
        parser.error(f"no benchmark named {', '.join(sorted(unknown))}")
    os.environ.setdefault("KINETO_LOG_LEVEL", "9")
    OUT.mkdir(parents=True, exist_ok=True)
    tables = {name: _run(name, options.quick) for name in options.names or NAMES}
    if options.markdown:
        _write_readme(tables)


def _run(name: str, quick: bool) -> str:
    from machine import describe

    _say(f"{name} …")
    benchmark = importlib.import_module(name).run(quick)
    machine = describe()
    result = {"name": name, "quick": quick, "machine": machine, **benchmark.to_json()}
    text = json.dumps(result, indent=1, ensure_ascii=False)
    (OUT / f"{name}.json").write_text(text + "\n", encoding="utf-8")
    _say(benchmark.as_text() + "\n")
    return benchmark.as_markdown()


def _write_readme(tables: dict[str, str]) -> None:
    readme = REPOSITORY / "README.md"
    text = readme.read_text(encoding="utf-8")
    own = {name for name in NAMES if _marks(name)[0] in text}
    for name in own & tables.keys():
        text = _between(text, _marks(name), f"{tables[name]}\n\n{_measured(name)}")
    common = [name for name in NAMES if name not in own]
    if tables.keys() >= set(common):
        where = f"{_measured()} Medians (least–most); `÷ peer` is the peer over ours: more is better."
        text = _between(text, (START, END), "\n\n".join([where, *(tables[name] for name in common)]))
    elif not own >= tables.keys():
        raise SystemExit(f"README.md has one place for the tables of {', '.join(common)}: run them all")
    readme.write_text(text, encoding="utf-8")


def _marks(name: str) -> tuple[str, str]:
    return f"<!-- bench:{name}:start -->", f"<!-- bench:{name}:end -->"


def _between(text: str, marks: tuple[str, str], content: str) -> str:
    before, start, rest = text.partition(marks[0])
    _, end, after = rest.partition(marks[1])
    if not start or not end:
        raise SystemExit(f"README.md has no {marks[0]} … {marks[1]}")
    return f"{before}{start}\n\n{content}\n\n{end}{after}"


def _measured(name: str = "") -> str:
    from machine import describe

    machine = describe()
    return (
        f"Measured {machine['date']} on {machine['cores']} cores ({machine['cpu']}), "
        f"Python {machine['python']}, torch {machine['torch']}, debugpy {machine['debugpy']}, "
        f"by `npm run bench{' -- ' + name if name else ''}`."
    )


def _say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    main()
