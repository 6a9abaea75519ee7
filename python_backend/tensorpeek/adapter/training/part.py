"""The part for training-wide conditions: their check boxes, and what the client asks at and between stops."""

from __future__ import annotations

import logging
from typing import Any

from tensorpeek.adapter.framing import Message
from tensorpeek.adapter.probe_link import ProbeFailed
from tensorpeek.adapter.session import Session
from tensorpeek.adapter.training.exception_info import exception_info
from tensorpeek.adapter.training.filters import Filters, exception_filters, split
from tensorpeek.contract.messages import (
    ConditionsArguments,
    ConditionSettings,
    StopInfo,
    TrainingActionArguments,
)

log = logging.getLogger(__name__)

OURS = "tensorpeek"
"""In the body of a `stopped` event: the probe made it."""

NO_STOP: StopInfo = {"finding": None, "scope": "", "values": 0}


class Training:
    """Of one session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._conditions: list[ConditionSettings] = []
        """As the client set them last; the probe gets them when it comes in."""
        self._has_probe = False
        self._may_be_ours = False
        """Whether a thread is stopped that the probe has stopped."""

    def capabilities(self, debugpys: Message) -> Message:
        boxes = [*(debugpys.get("exceptionBreakpointFilters") or ()), *exception_filters()]
        return {"exceptionBreakpointFilters": boxes, "supportsExceptionFilterOptions": True}

    # The check boxes

    def setExceptionBreakpoints_request(self, request: Message) -> None:
        filters = split(request["arguments"])
        self._conditions = filters.conditions
        self._session.delegate(
            {**request, "arguments": filters.debugpys}, lambda body: self._answered(body, filters)
        )

    async def _answered(self, body: Message, filters: Filters) -> Message:
        """debugpy answers nothing about each filter, so we do; ours hold from now on."""
        problem = ""
        try:
            if self._has_probe:
                await self._send_conditions()
        except ProbeFailed as failure:
            log.warning("the conditions are not set: %s", failure)
            problem = str(failure)
        if self._session.activation.mode == "plain":
            problem = self._session.texts("no_probe")
        if problem:
            for index in filters.ours:
                filters.answers[index] = {"verified": False, "message": problem}
        return {**body, "breakpoints": filters.answers}

    async def probe_installed(self) -> None:
        self._has_probe = True
        await self._send_conditions()

    async def _send_conditions(self) -> None:
        start = self._session.start
        assert start is not None
        arguments: ConditionsArguments = {
            "conditions": self._conditions,
            "budgetPercent": start.budget_percent,
            "runsFolder": start.runs_folder,
            "capsule": start.capsule,
        }
        await self._session.probe.conditions(arguments)

    # A stop of ours

    def stopped_event(self, event: Message) -> None:
        body: Message = event.get("body") or {}
        if body.get(OURS):
            self._may_be_ours = True

    def continued_event(self, event: Message) -> None:
        self._may_be_ours = False

    def exceptionInfo_request(self, request: Message) -> Any:
        if self._may_be_ours:
            return self._exception_info(request)
        self._session.delegate(request)
        return None

    async def _exception_info(self, request: Message) -> None:
        finding = (await self._stop_info(thread=request["arguments"]["threadId"]))["finding"]
        if finding is None:
            self._session.delegate(request)
        else:
            self._session.client.respond(request, exception_info(finding))

    def scopes_request(self, request: Message) -> None:
        session, frame = self._session, request["arguments"]["frameId"]
        asked = session.values.asked_now()
        if self._may_be_ours:
            session.delegate(request, lambda body: self._scopes(frame, asked, body))
        else:
            session.delegate(request, lambda body: session.values.scopes(frame, asked, body))

    async def _scopes(self, frame: int, asked: Any, body: Message) -> Message:
        """Locals first: an editor opens the first scope by itself."""
        info = await self._stop_info(frame=frame)
        scopes: list[Message] = list(body["scopes"])
        if info["values"]:
            ours = {"name": info["scope"], "variablesReference": info["values"], "expensive": False}
            scopes.insert(1, ours)
        return self._session.values.scopes(frame, asked, {**body, "scopes": scopes})

    async def _stop_info(self, thread: int = 0, frame: int = 0) -> StopInfo:
        try:
            return await self._session.probe.stop({"threadId": thread, "frameId": frame})
        except ProbeFailed as failure:
            log.warning("why the program is stopped is not known: %s", failure)
            return NO_STOP

    # Requests of our own

    async def tensorpeek_training_request(self, request: Message) -> None:
        self._require_probe()
        state = await self._session.probe.training()
        self._session.client.respond(request, {**state})

    async def tensorpeek_trainingAction_request(self, request: Message) -> None:
        self._require_probe()
        arguments: TrainingActionArguments = {"action": request["arguments"]["action"]}
        if "value" in request["arguments"]:
            arguments["value"] = float(request["arguments"]["value"])
        result = await self._session.probe.action(arguments)
        self._session.client.respond(request, {**result})

    async def tensorpeek_recommend_request(self, request: Message) -> None:
        self._require_probe()
        recommendations = await self._session.probe.recommend()
        self._session.client.respond(request, {**recommendations})

    def _require_probe(self) -> None:
        if self._session.activation.mode != "active":
            raise ProbeFailed(self._session.texts("no_probe"))
