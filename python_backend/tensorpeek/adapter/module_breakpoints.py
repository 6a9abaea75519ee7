"""Function breakpoints that name modules of the model, as in `module:encoder.layers.*`.

They are the probe's; all others are debugpy's, and both are answered in the order of the request.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Coroutine
from typing import Any

from tensorpeek.adapter.framing import Message
from tensorpeek.adapter.line_conditions import problem_with
from tensorpeek.adapter.probe_link import ProbeFailed
from tensorpeek.adapter.session import Session
from tensorpeek.contract.messages import ModuleBreakpoint

log = logging.getLogger(__name__)

PREFIX = "module:"
NAME = re.compile(
    r"module:\s*(?P<pattern>[^\s\[\]]+)(?:\s+(?P<word>forward|backward)|\s*\[(?P<bracket>.+)\])*\s*",
    re.DOTALL,
)
PHASES = ("forward", "backward")
MOST_COMPLETIONS = 200


class ModuleBreakpoints:
    """The part of the adapter for `setFunctionBreakpoints`, and for the names of modules while typing."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._has_ours = False

    def setFunctionBreakpoints_request(self, request: Message) -> Coroutine[Any, Any, None] | None:
        given: list[Message] = request["arguments"].get("breakpoints") or []
        if self._has_ours or any(map(is_ours, given)):
            return self._set(request, given)
        self._session.delegate(request)
        return None

    async def _set(self, request: Message, given: list[Message]) -> None:
        self._has_ours = any(map(is_ours, given))
        if self._session.start is not None:
            await self._session.activation.settled.wait()
        ours = iter(await self._checked([each for each in given if is_ours(each)]))
        answers = [next(ours) if is_ours(each) else None for each in given]
        theirs = [each for each in given if not is_ours(each)]

        def merged(body: Message) -> Message:
            known = iter(body.get("breakpoints") or [])
            return {**body, "breakpoints": [answer or next(known) for answer in answers]}

        arguments = {**request["arguments"], "breakpoints": theirs}
        self._session.delegate({**request, "arguments": arguments}, merged)

    async def _checked(self, ours: list[Message]) -> list[Message]:
        """A DAP Breakpoint for each."""
        if self._session.activation.mode == "plain":
            return [refused(self._session.texts("no_probe")) for _ in ours]
        parsed = [parse(breakpoint) for breakpoint in ours]
        working = [each for each in parsed if not isinstance(each, str)]
        try:
            checked = await self._session.probe.module_breakpoints({"breakpoints": working})
        except ProbeFailed as failure:
            log.warning("the module breakpoints are not set: %s", failure)
            return [refused(str(failure)) for _ in ours]
        answers = iter(checked["breakpoints"])
        return [refused(each) if isinstance(each, str) else {**next(answers)} for each in parsed]

    def completions_request(self, request: Message) -> Coroutine[Any, Any, None] | None:
        if request["arguments"].get("text", "").startswith(PREFIX):
            return self._complete(request)
        self._session.delegate(request)
        return None

    async def _complete(self, request: Message) -> None:
        text: str = request["arguments"]["text"]
        begun = text[len(PREFIX) :].strip()
        state = await self._session.probe.training()
        names = [name for name in state["modules"] if name.startswith(begun)]
        targets = [
            {"label": PREFIX + name, "type": "module", "start": 0, "length": len(text)}
            for name in names[:MOST_COMPLETIONS]
        ]
        self._session.client.respond(request, {"targets": targets})


def is_ours(breakpoint: Message) -> bool:
    return str(breakpoint.get("name", "")).strip().startswith(PREFIX)


def refused(problem: str) -> Message:
    return {"verified": False, "message": problem}


def parse(breakpoint: Message) -> ModuleBreakpoint | str:
    """The parts of a function breakpoint of ours, or why it is none.

    After the pattern may stand `backward`, and in brackets that too, or a condition.
    """
    name = NAME.fullmatch(str(breakpoint["name"]).strip())
    if name is None:
        return "After `module:` comes the path of a module, as in `module:encoder.layers.* backward`."
    bracket = (name["bracket"] or "").strip()
    phase = bracket if bracket in PHASES else name["word"] or "forward"
    conditions = [breakpoint.get("condition") or "", "" if bracket in PHASES else bracket]
    condition = f"({conditions[0]}) and ({conditions[1]})" if all(conditions) else "".join(conditions)
    whole: Message = {"condition": condition, "hitCondition": breakpoint.get("hitCondition") or ""}
    problem = problem_with(whole)
    if problem:
        return problem
    return {
        "pattern": name["pattern"],
        "phase": "backward" if phase == "backward" else "forward",
        "condition": condition,
        "hitCondition": str(whole["hitCondition"]),
    }
