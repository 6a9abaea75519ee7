"""Inlay hints of a long traced file, from the request to the answer over stdio, and what an edit costs."""

from __future__ import annotations

import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from lsp_client import LspClient
from lsprotocol import types
from report import OURS, Benchmark, Row
from shape_traces import trace, write
from timing import Sample

from tensorpeek.server.documents import Documents
from tensorpeek.server.shapes.feature import Shapes

HINTS_WITHIN, EDIT_WITHIN = 0.050, 0.020
ASKED = 2_000
SIZES = (ASKED, 10_000)
SCREEN = 60
"""Lines of the code that an editor shows."""
SHAPES = {"self.layer(x)": ["B 64"], "x": ["B 64"], "x + y": ["B 64"]}


ANSWERED = ("all", "all, CPU", "screen", "screen, CPU")


def run(quick: bool) -> Benchmark:
    rows: list[Row] = []
    notes: list[str] = []
    for lines in SIZES:
        text = _text(lines)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "long.py")
            write(Path(folder), trace(path, text, SHAPES))
            turns = 10 if quick else 50
            taken, shown = _asked(Path(folder), path, text, turns)
            taken["edit"] = _edited(Path(folder), path, text, turns)
        asked = lines == ASKED
        within = {"edit": EDIT_WITHIN} | dict.fromkeys(ANSWERED, HINTS_WITHIN) if asked else {}
        for work, title in TITLES.items():
            name = f"{title}, {lines} lines"
            rows.append(Row(name, {OURS: Sample.of(taken[work])}, at_most=within.get(work)))
        notes.append(f"{shown} hints in {lines} lines.")
    notes.append("Each request follows an edit that adds a line above the middle; from request to answer.")
    return Benchmark("Shapes beside the code, one long class", rows, notes=notes)


TITLES = {
    "edit": "an edit",
    "all": "all hints after it",
    "all, CPU": "all hints, CPU time of the server",
    "screen": f"those of {SCREEN} lines after one",
    "screen, CPU": f"those of {SCREEN} lines, CPU time",
}


def _edited(folder: Path, path: Path, text: str, turns: int) -> list[float]:
    """In the process of the server: nothing answers an edit."""
    taken: list[float] = []
    documents = Documents()
    documents.open(path.as_uri(), text)
    shapes = Shapes(documents, _nobody)
    shapes.read([folder])
    for turn in range(turns):
        where = _place(text, turn)
        change = types.TextDocumentContentChangePartial(
            text=" # edited\n", range=types.Range(types.Position(**where), types.Position(**where))
        )
        start = time.perf_counter()
        documents.change(path.as_uri(), [change])
        taken.append(time.perf_counter() - start)
    return taken


def _asked(folder: Path, path: Path, text: str, turns: int) -> tuple[dict[str, list[float]], int]:
    taken: dict[str, list[float]] = defaultdict(list)
    shown = 0
    uri = path.as_uri()
    client = LspClient(folder)
    try:
        document = {"uri": uri, "languageId": "python", "version": 0, "text": text}
        client.tell("textDocument/didOpen", {"textDocument": document})
        for turn in range(2 * turns + 1):
            work = "screen" if turn % 2 else "all"
            where = _place(text, turn)
            first = where["line"] if work == "screen" else 0
            last = first + SCREEN if work == "screen" else text.count("\n") + turn + 1
            asked = {"start": {"line": first, "character": 0}, "end": {"line": last, "character": 0}}
            change = {"text": " # edited\n", "range": {"start": where, "end": where}}
            version = {"uri": uri, "version": turn + 1}
            client.tell("textDocument/didChange", {"textDocument": version, "contentChanges": [change]})
            cpu, start = client.cpu_seconds(), time.perf_counter()
            answer = client.ask("textDocument/inlayHint", {"textDocument": {"uri": uri}, "range": asked})
            if turn:  # The first time everything is new.
                taken[work].append(time.perf_counter() - start)
                taken[f"{work}, CPU"].append(client.cpu_seconds() - cpu)
            shown = max(shown, len(answer))
    finally:
        client.close()
    return taken, shown


def _place(text: str, turn: int) -> dict[str, int]:
    return {"line": text.count("\n") // 2 + turn, "character": 0}


def _text(lines: int) -> str:
    text = ["from torch import nn", "class Net(nn.Module):"]
    while len(text) < lines:
        text += [f"    def part{len(text)}(self, x):"]
        text += ["        y = self.layer(x)", "        x = x + y"] * 9
        text += ["        return self.layer(x)"]
    return "\n".join(text[:lines]) + "\n"


def _nobody(_params: Any) -> None:
    pass
