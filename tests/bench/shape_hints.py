"""Inlay hints of a long traced file, and what an edit of it costs, in the server's own process."""

from __future__ import annotations

import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from lsprotocol import types
from report import OURS, Benchmark, Row
from shape_traces import trace, write
from timing import Sample

from tensorpeek.server.documents import Documents
from tensorpeek.server.shapes.feature import Shapes

LINES = 2_000
HINTS_WITHIN, EDIT_WITHIN = 0.050, 0.020


def run(quick: bool) -> Benchmark:
    taken: dict[str, list[float]] = defaultdict(list)
    text = _text()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "long.py")
        write(Path(folder), trace(path, text, {"self.layer(x)": ["B 64"], "x": ["B 64"], "x + y": ["B 64"]}))
        documents = Documents()
        documents.open(path.as_uri(), text)
        shapes = Shapes(documents, _nobody)
        shapes.read([Path(folder)])
        everything = types.Range(types.Position(0, 0), types.Position(LINES, 0))
        shown = 0
        for turn in range(10 if quick else 50):
            line = LINES // 2 + turn
            where = types.Range(types.Position(line, 0), types.Position(line, 0))
            change = types.TextDocumentContentChangePartial(text=" # edited\n", range=where)
            start = time.perf_counter()
            documents.change(path.as_uri(), [change])
            edited = time.perf_counter()
            shown = len(shapes.inlay_hints(path.as_uri(), everything))
            taken["edit"].append(edited - start)
            taken["hints"].append(time.perf_counter() - edited)
    rows = [
        Row("An edit", {OURS: Sample.of(taken["edit"])}, at_most=EDIT_WITHIN),
        Row("All hints after it", {OURS: Sample.of(taken["hints"])}, at_most=HINTS_WITHIN),
    ]
    return Benchmark(
        f"Shapes beside {LINES} lines of code",
        rows,
        notes=[f"{shown} hints. The second includes parsing; diagnostics follow a moment later."],
    )


def _text() -> str:
    lines = ["from torch import nn", "class Net(nn.Module):"]
    while len(lines) < LINES:
        lines += [f"    def part{len(lines)}(self, x):"]
        lines += ["        y = self.layer(x)", "        x = x + y"] * 9
        lines += ["        return self.layer(x)"]
    return "\n".join(lines[:LINES]) + "\n"


def _nobody(_params: Any) -> None:
    pass
