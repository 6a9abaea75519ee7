"""What `tensorpeek shapes` writes of a model that raises half-way: a record with everything in it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from harness.session import DEBUGGEES, REPOSITORY
from tensorpeek.runs import shapes_file
from tensorpeek.server.shapes.model_map import model_map


def of_a_trace() -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [sys.executable, "-m", "tensorpeek", "shapes", str(DEBUGGEES / "raises_halfway.py")],
            cwd=folder,
            check=True,
            capture_output=True,
            timeout=90,
            env={**os.environ, "PYTHONPATH": str(REPOSITORY / "python_backend")},
        )
        (trace,) = shapes_file.newest(Path(folder, ".tensorpeek", "runs"))
    (file,) = trace["files"]
    container = next(
        value for name in file["names"] for value in name["values"] if value["kind"] == "container"
    )
    return {
        "ShapeTrace": trace,
        "ShapeSymbol": trace["symbols"][0],
        "ShapeRemark": trace["remarks"][0],
        "TracedFile": file,
        "TracedExpression": file["expressions"][0],
        "TracedName": file["names"][0],
        "TracedFunction": file["functions"][0],
        "TracedModule": trace["modules"][0],
        "ModelMap": model_map(trace, {}),
        "ModelMapParams": {"uri": "file:///project/tests/debuggee/raises_halfway.py"},
        "ShapeValue": container,
        "ShapeItem": container["items"][0],
    }
