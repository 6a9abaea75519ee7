"""Runs a program whose faulty line is marked, and records its steps."""

from __future__ import annotations

import runpy
from pathlib import Path

from harness.step_recorder import Found, Recorder, recorded


def run_marked(folder: Path, text: str) -> tuple[Recorder, int]:
    """The recorder of a program, and the 1-based line in it that ends with `# <-`."""
    path = folder / "program.py"
    path.write_text(text)
    marked = next(number for number, line in enumerate(text.splitlines(), 1) if line.endswith("# <-"))
    with recorded() as recorder:
        try:
            runpy.run_path(str(path), run_name="__main__")
        except Found:
            pass
    return recorder, marked
