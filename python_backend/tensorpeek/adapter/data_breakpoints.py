"""DAP's data breakpoints, which debugpy does not have: the probe watches the variable."""

from __future__ import annotations

import logging

from tensorpeek.adapter.framing import Message
from tensorpeek.adapter.line_conditions import problem_with
from tensorpeek.adapter.probe_link import ProbeFailed
from tensorpeek.adapter.session import Session
from tensorpeek.contract.messages import Watch

log = logging.getLogger(__name__)


class DataBreakpoints:
    """The part of the adapter for them."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def capabilities(self, debugpys: Message) -> Message:
        return {"supportsDataBreakpoints": True}

    async def dataBreakpointInfo_request(self, request: Message) -> None:
        session, arguments = self._session, request["arguments"]
        if session.activation.mode == "plain":
            session.client.respond(request, no_place(session.texts("no_probe")))
            return
        reference = session.references.debugpys(arguments.get("variablesReference") or 0)
        frame: int = arguments.get("frameId") or 0
        info = await session.probe.watch_info(
            {"reference": reference, "name": str(arguments["name"]), "frameId": frame}
        )
        if not info["dataId"]:
            session.client.respond(request, no_place(info["description"]))
            return
        session.client.respond(request, {**info, "accessTypes": ["write"], "canPersist": False})

    async def setDataBreakpoints_request(self, request: Message) -> None:
        session = self._session
        given: list[Message] = request["arguments"].get("breakpoints") or []
        if session.start is not None:
            await session.activation.settled.wait()
        if session.activation.mode == "plain" or (not given and session.peer is None):
            answers = [refused(session.texts("no_probe")) for _ in given]
        else:
            answers = await self._checked(given)
        session.client.respond(request, {"breakpoints": answers})

    async def _checked(self, given: list[Message]) -> list[Message]:
        problems = [problem_with(breakpoint) for breakpoint in given]
        working: list[Watch] = [
            {
                "dataId": str(breakpoint["dataId"]),
                "condition": breakpoint.get("condition") or "",
                "hitCondition": breakpoint.get("hitCondition") or "",
            }
            for breakpoint, problem in zip(given, problems)
            if not problem
        ]
        try:
            checked = await self._session.probe.watches({"watches": working})
        except ProbeFailed as failure:
            log.warning("the data breakpoints are not set: %s", failure)
            return [refused(str(failure)) for _ in given]
        answers = iter(checked["breakpoints"])
        return [refused(problem) if problem else {**next(answers)} for problem in problems]


def no_place(why: str) -> Message:
    return {"dataId": None, "description": why}


def refused(problem: str) -> Message:
    return {"verified": False, "message": problem}
