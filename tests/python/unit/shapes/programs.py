"""Programs of a test, imported from a file of their own, and what a trace of them has seen."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from tensorpeek.probe.shapes.tracer import Recording, Tracer, to_trace


def load(folder: Path, text: str, name: str = "shapes_program") -> ModuleType:
    path = folder / f"{name}.py"
    path.write_text("import torch\nfrom torch import nn\nimport torch.nn.functional as F\n" + text, "utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules[name]
    return module


def tracing(module: ModuleType) -> Tracer:
    return Tracer(lambda path: path == module.__file__)


def traced(module: ModuleType, call: Callable[[], Any]) -> Seen:
    with tracing(module) as tracer:
        call()
    return Seen(tracer.recording)


class Seen:
    """Shapes by source text."""

    def __init__(self, recording: Recording) -> None:
        trace = to_trace(recording, source="real", entry="", symbols=[], modules=[], remarks=[], problem="")
        self.trace = trace
        self.expressions: dict[str, list[str]] = {}
        self.names: dict[str, list[str]] = {}
        self.calls: dict[str, int] = {}
        self.functions: dict[str, int] = {}
        for file in trace["files"]:
            lines = file["text"].encode().split(b"\n")
            for row in file["expressions"]:
                assert row["line"] == row["endLine"], "expressions of these programs are on one line"
                text = lines[row["line"] - 1][row["column"] : row["endColumn"]].decode()
                self.expressions.setdefault(text, []).extend(map(said, row["values"]))
                self.calls[text] = self.calls.get(text, 0) + row["calls"]
            for name in file["names"]:
                self.names.setdefault(name["name"], []).extend(map(said, name["values"]))
            self.functions |= {function["name"]: function["calls"] for function in file["functions"]}


def said(value: Any) -> str:
    """`2 3` of a tensor, `[0: 2 3, 1: 4]` of what holds tensors."""
    if value["kind"] == "container":
        return "[" + ", ".join(f"{item['key']}: {said(item['value'])}" for item in value["items"]) + "]"
    return " ".join(value["dims"])
