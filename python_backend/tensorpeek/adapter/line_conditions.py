"""Line breakpoints: a condition or log message that can never work is refused when it is set.

The rest goes to debugpy as it is; the probe evaluates it there. VS Code shows the reason of a refusal beside
the breakpoint, which stays grey.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any

from tensorpeek.adapter.framing import Message
from tensorpeek.adapter.session import Session
from tensorpeek.catalogue.line_condition import (
    ConditionProblem,
    binds,
    calls,
    check_condition,
    check_log_message,
    expressions_of,
    is_used,
    parse,
    parts_of,
)

LARGEST_SOURCE = 4_000_000
"""Bytes of a file that is searched for a `tp` of its own."""


class LineConditions:
    """The part of the adapter for `setBreakpoints`."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._waiting = 0

    def setBreakpoints_request(self, request: Message) -> Coroutine[Any, Any, None] | None:
        given: list[Message] = request["arguments"].get("breakpoints") or []
        settled = self._session.activation.settled.is_set() or self._session.start is None
        if self._waiting or (not settled and any(map(uses_tp, given))):
            return self._set_when_settled(request)
        return self._set(request)

    async def _set_when_settled(self, request: Message) -> None:
        """Not before it is known whether there will be a `tp`; later requests of the kind do not overtake."""
        self._waiting += 1
        try:
            await self._session.activation.settled.wait()
        finally:
            self._waiting -= 1
        self._set(request)

    def _set(self, request: Message) -> None:
        arguments: Message = request["arguments"]
        given: list[Message] = arguments.get("breakpoints") or []
        own_tp = OwnName(arguments["source"]["path"])
        problems = [self._problem(breakpoint, own_tp) for breakpoint in given]
        passed = [with_percent_signs(b) for b, problem in zip(given, problems) if not problem]

        def merged(body: Message) -> Message:
            known: Iterator[Message] = iter(body.get("breakpoints") or [])
            return {
                **body,
                "breakpoints": [
                    refused(arguments["source"], breakpoint, problem)
                    if problem
                    else with_warm_up(next(known), breakpoint)
                    for breakpoint, problem in zip(given, problems)
                ],
            }

        self._session.delegate({**request, "arguments": {**arguments, "breakpoints": passed}}, merged)

    def _problem(self, breakpoint: Message, own_tp: OwnName) -> str:
        """Why the breakpoint can't work, empty when it can."""
        problem = problem_with(breakpoint)
        if uses_tp(breakpoint):
            if problem and own_tp.exists:
                return ""
            if not problem and self._session.activation.mode == "plain" and not own_tp.exists:
                return self._session.texts("no_probe")
        return problem


def problem_with(breakpoint: Message) -> str:
    """What is wrong with the texts of a breakpoint by themselves, empty when nothing is."""
    try:
        if breakpoint.get("condition"):
            check_condition(breakpoint["condition"])
        if breakpoint.get("logMessage"):
            check_log_message(breakpoint["logMessage"])
        if breakpoint.get("hitCondition"):
            check_hit_count(breakpoint["hitCondition"])
    except ConditionProblem as problem:
        return problem.sentence
    return ""


def check_hit_count(text: str) -> None:
    """`5`, `>= 5`, `% 5`, or an expression. Raises ConditionProblem."""
    stripped = text.strip()
    try:
        parse(f"1 {stripped}" if stripped[:1] in ("%", "<", ">", "=", "!") else stripped)
    except ConditionProblem:
        raise ConditionProblem("a hit count is a number, or as in `>= 5` and `% 5`") from None


def trees_of(breakpoint: Message) -> list[ast.Expression]:
    """Of its texts that are Python."""
    trees: list[ast.Expression] = []
    try:
        if breakpoint.get("condition"):
            trees.append(parse(breakpoint["condition"]))
        if breakpoint.get("logMessage"):
            trees.extend(map(parse, expressions_of(breakpoint["logMessage"])))
    except ConditionProblem:
        return trees
    return trees


def uses_tp(breakpoint: Message) -> bool:
    return any(map(is_used, trees_of(breakpoint)))


def with_warm_up(answer: Message, breakpoint: Message) -> Message:
    """debugpy's answer, with what the condition does at first where that is only to watch."""
    message = warm_up_message(breakpoint)
    return {**answer, "message": message} if message and answer.get("verified") else answer


def warm_up_message(breakpoint: Message) -> str:
    try:
        made = [call for tree in trees_of(breakpoint) if is_used(tree) for call in calls(tree)]
    except ConditionProblem:
        return ""  # of the program's own `tp`
    for call in made:
        for argument in call.info.arguments:
            if argument.name == "warmup":
                given = call.given.get("warmup")
                count = ast.unparse(given[0]) if given else f"{argument.default:g}"
                return f"Watches {count} values first, then stops."
    return ""


def refused(source: Any, breakpoint: Message, problem: str) -> Message:
    return {"verified": False, "message": problem, "source": source, "line": breakpoint["line"]}


def with_percent_signs(breakpoint: Message) -> Message:
    """debugpy makes a format of a log message with expressions; a `%` of its text is to be doubled then."""
    message: str = breakpoint.get("logMessage") or ""
    if "%" not in message or "{" not in message:
        return breakpoint
    parts = parts_of(message)
    doubled = "".join(f"{{{text}}}" if is_code else text.replace("%", "%%") for text, is_code in parts)
    has_code = any(is_code and text.strip() for text, is_code in parts)
    return {**breakpoint, "logMessage": doubled} if has_code else breakpoint


class OwnName:
    """Whether a file gives `tp` a meaning of its own, so that what a condition asks of it is not ours."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        self._known: bool | None = None

    @property
    def exists(self) -> bool:
        if self._known is None:
            self._known = self._look()
        return self._known

    def _look(self) -> bool:
        try:
            if self._path.stat().st_size > LARGEST_SOURCE:
                return False
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return binds(ast.parse(self._path.read_bytes()))
        except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
            return False
