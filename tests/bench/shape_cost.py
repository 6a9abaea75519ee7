"""What a trace costs: BERT-base from its configuration."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from report import OURS, Benchmark, Row, quantity
from timing import Sample

SCRIPT = Path(__file__).with_name("trace_of_bert.py")
WITHIN = 3.0


def run(quick: bool) -> Benchmark:
    plain: list[dict[str, Any]] = []
    annotated: list[dict[str, Any]] = []
    for _ in range(3 if quick else 7):
        plain.append(_traced())
        annotated.append(_traced("--library"))
    return Benchmark(
        "A trace of BERT-base without data, from its configuration",
        [*_rows("the tree of modules", plain), *_rows("and each line of its source", annotated)],
        notes=[
            "Each in a process of its own, once torch and transformers are imported. Medians (least–most).",
            f"{annotated[0]['expressions']} expressions of transformers, in the names "
            f"{', '.join(annotated[0]['symbols'])}.",
        ],
    )


def _rows(what: str, results: list[dict[str, Any]]) -> list[Row]:
    return [
        Row(f"{what}, CPU time", {OURS: _of(results, "cpu_seconds")}, at_most=WITHIN, note=_memory(results)),
        Row(f"{what}, wall time", {OURS: _of(results, "seconds")}, at_most=WITHIN),
    ]


def _traced(*options: str) -> dict[str, Any]:
    ran = subprocess.run([sys.executable, str(SCRIPT), *options], capture_output=True, text=True, check=True)
    return json.loads(ran.stdout.splitlines()[-1])


def _of(results: list[dict[str, Any]], key: str) -> Sample:
    return Sample.of([result[key] for result in results])


def _memory(results: list[dict[str, Any]]) -> str:
    grown = _of(results, "bytes")
    whole = quantity(results[0]["parameters"], "B")
    return f"memory grows by {quantity(grown.median, 'B')} (parameters would be {whole})"
