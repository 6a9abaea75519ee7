"""Small traces by hand: what each expression and name of a text gave, found by its text."""

from __future__ import annotations

import ast
import hashlib
import json
from pathlib import Path
from typing import Any

from tensorpeek.contract.messages import CONTRACT_VERSION

TEXT = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(64, 10)

    def forward(self, x):
        y = x.flatten(1)
        if y.ndim == 3:
            y = y.mean(0)
        else:
            y = y.relu()
        for scale in (1, 2):
            z = y * scale
        return self.fc(z)
"""


def tensor(dims: str, dtype: str = "float32", device: str = "cpu") -> dict[str, Any]:
    names = dims.split()
    sizes = [int(name) if name.isdigit() else 8 for name in names]
    value = {"kind": "tensor", "type": "Tensor", "dims": names, "sizes": sizes}
    return {**value, "dtype": dtype, "device": device, "items": [], "length": 0}


def trace(path: Path, text: str, shapes: dict[str, list[str]], **more: Any) -> dict[str, Any]:
    """`shapes` by the text of an expression, a target or an argument."""
    expressions: list[dict[str, Any]] = []
    names: list[dict[str, Any]] = []
    functions: list[dict[str, Any]] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            function = {"name": node.name, "line": node.lineno, "endLine": node.end_lineno}
            functions.append({**function, "calls": 1, "flops": 0, "peakBytes": 0})
        if not isinstance(node, (ast.expr, ast.arg)):
            continue
        given = shapes.get(ast.unparse(node))
        if given is None or (isinstance(getattr(node, "ctx", None), ast.Load) and isinstance(node, ast.Name)):
            continue
        values = [tensor(dims) for dims in given]
        span = {"line": node.lineno, "column": node.col_offset}
        span |= {"endLine": node.end_lineno, "endColumn": node.end_col_offset}
        calls = {"values": values, "order": list(range(len(values))), "calls": len(values)}
        if isinstance(node, (ast.Name, ast.arg)):
            names.append({"name": ast.unparse(node), **span, **calls})
        else:
            expressions.append({**span, **calls, "flops": 0})
    file = {
        "path": str(path),
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
        "text": text,
        "expressions": expressions,
        "names": names,
        "functions": functions,
        "blocks": [],
    }
    whole = {
        "contractVersion": CONTRACT_VERSION,
        "time": "2026-12-01T01:00:00+00:00",
        "source": "fake",
        "entry": "Net.forward(x)",
        "torch": "2",
        "symbols": [{"name": "B", "size": 8, "origin": "batch"}],
        "files": [{**file, **more.pop("file", {})}],
        "modules": [],
        "remarks": [],
        "problem": "",
        "truncated": False,
    }
    return {**whole, **more}


NET = {
    "x": ["B 4 16"],
    "x.flatten(1)": ["B 64"],
    "y.relu()": ["B 64"],
    "y * scale": ["B 64", "B 32"],
    "self.fc(z)": ["B 10"],
    "z": ["B 64"],
}
LINEAR = {
    "path": "fc",
    "type": "Linear",
    "file": "",
    "line": 0,
    "callPath": "",
    "callLine": 18,
    "outputs": [],
    "order": [],
    "parameters": 650,
    "trainable": 650,
    "ownParameters": 650,
    "ownTrainable": 650,
    "parameterBytes": 2600,
    "flops": 0,
    "bytes": 320,
    "calls": 1,
    "sameAs": "",
    "tiedTo": "",
}


def net(path: Path, **more: Any) -> dict[str, Any]:
    modules = more.pop("modules", [{**LINEAR, "callPath": str(path)}])
    return trace(path, TEXT, NET, modules=modules, file={"blocks": [15, 17]}, **more)


def write(folder: Path, written: dict[str, Any], run: str = "20261201-010000-net") -> None:
    where = folder / ".tensorpeek" / "runs" / run
    where.mkdir(parents=True, exist_ok=True)
    (where / "shapes.json").write_text(json.dumps(written))
