"""The part for shapes: a trace from a paused frame, and whether that of the first step is wanted."""

from __future__ import annotations

from typing import Any

from tensorpeek.adapter.framing import Message
from tensorpeek.adapter.probe_link import ProbeFailed
from tensorpeek.adapter.session import Session
from tensorpeek.contract.messages import TraceFrameArguments, TraceResult


class Shapes:
    """Of one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    async def probe_installed(self) -> None:
        start = self._session.start
        if start is not None:
            await self._session.probe.first_step({"isTraced": start.traces_first_step})

    async def tensorpeek_traceShapes_request(self, request: Message) -> None:
        """Answered in any case: what keeps the probe from it is told as the problem."""
        given: dict[str, Any] = request["arguments"]
        arguments: TraceFrameArguments = {
            "frameId": given["frameId"],
            "expression": given.get("expression") or "",
        }
        result: TraceResult = {"path": "", "entry": "", "expressions": 0, "problem": ""}
        if self._session.activation.mode != "active":
            result["problem"] = self._session.texts("no_probe")
        else:
            try:
                result = await self._session.probe.trace_shapes(arguments)
            except ProbeFailed as failure:
                result["problem"] = str(failure)
        self._session.client.respond(request, {**result})
