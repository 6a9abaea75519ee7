"""Runs the benchmarks of `npm run bench`: `run.py [NAME …] [--quick] [--markdown]`.

Prints a table per benchmark and writes out/bench/NAME.json; `--markdown` also puts the tables in the README.
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
)
"""One module each, with `run(quick) -> Benchmark`."""

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
    tables = [_run(name, options.quick) for name in options.names or NAMES]
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


def _write_readme(tables: list[str]) -> None:
    from machine import describe

    readme = REPOSITORY / "README.md"
    before, start, rest = readme.read_text(encoding="utf-8").partition(START)
    _, end, after = rest.partition(END)
    if not start or not end:
        raise SystemExit(f"README.md has no {START} … {END}")
    machine = describe()
    where = (
        f"Measured {machine['date']} on {machine['cores']} cores ({machine['cpu']}), "
        f"Python {machine['python']}, torch {machine['torch']}, debugpy {machine['debugpy']}, "
        "by `npm run bench`. Medians (least–most); `÷ peer` is the peer over ours: more is better."
    )
    text = "\n\n".join([where, *tables])
    readme.write_text(f"{before}{START}\n\n{text}\n\n{END}{after}", encoding="utf-8")


def _say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    main()
