"""What the adapter answers where shapes are traced from a paused frame."""

from __future__ import annotations

import tempfile
from typing import Any

from harness.session import DEBUGGEES, DebugSession
from tensorpeek.contract.messages import TraceFrameArguments

PATIENCE = 100.0


def of_a_frame() -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder, DebugSession() as session:
        session.launch(DEBUGGEES / "traced.py", stops=["call"], tensorpeek={"runsFolder": folder})
        stop = session.wait_for_stop(PATIENCE)
        arguments: TraceFrameArguments = {"frameId": stop.frame, "expression": "net(batch['images'])"}
        result = session.request("tensorpeek/traceShapes", **arguments)
    result["path"] = "/project/.tensorpeek/runs/20261130-031500-traced/shapes.json"
    return {"TraceFrameArguments": arguments, "TraceResult": result}
