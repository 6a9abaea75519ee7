"""What the adapter answers where shapes are traced from a paused frame."""

from __future__ import annotations

import asyncio
import tempfile
from typing import Any

from harness.session import DEBUGGEES, DebugSession
from tensorpeek.adapter.probe_link import ProbeLink
from tensorpeek.contract.messages import FirstStepArguments, TraceFrameArguments

PATIENCE = 100.0


async def of_a_frame() -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder, DebugSession() as session:
        session.launch(DEBUGGEES / "traced.py", stops=["call"], tensorpeek={"runsFolder": folder})
        stop = session.wait_for_stop(PATIENCE)
        arguments: TraceFrameArguments = {"frameId": stop.frame, "expression": "net(batch['images'])"}
        result = session.request("tensorpeek/traceShapes", **arguments)

        def ask(command: str, arguments: dict[str, Any]) -> asyncio.Future[dict[str, Any]]:
            answer = asyncio.get_running_loop().create_future()
            answer.set_result(session.client.ask(command, arguments))
            return answer

        first_step: FirstStepArguments = {"isTraced": False}
        await ProbeLink(ask).first_step(first_step)
    result["path"] = "/project/.tensorpeek/runs/20261130-031500-traced/shapes.json"
    return {"FirstStepArguments": first_step, "TraceFrameArguments": arguments, "TraceResult": result}
