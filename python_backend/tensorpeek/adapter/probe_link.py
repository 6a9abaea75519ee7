"""Calls into the probe, which lives in the debuggee and is reached through `evaluate` without a frame.

Such an evaluate needs no paused thread, and debugpy passes it on without waiting for earlier requests.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any, Callable, cast

from tensorpeek.adapter.framing import Message
from tensorpeek.contract.messages import (
    CONTRACT_VERSION,
    CheckedBreakpoints,
    ConditionsArguments,
    ConfigureArguments,
    FirstStepArguments,
    LinesArguments,
    LinesResult,
    ModuleBreakpointsArguments,
    ProbeReply,
    ProcessInfo,
    Recommendations,
    RefineArguments,
    RefineResult,
    StopArguments,
    StopInfo,
    SummarizeArguments,
    SummarizeResult,
    TensorsArguments,
    TensorTable,
    TraceFrameArguments,
    TraceResult,
    TrainingActionArguments,
    TrainingActionResult,
    TrainingState,
    WatchesArguments,
    WatchInfo,
    WatchInfoArguments,
)

INJECTOR = Path(__file__).resolve().parents[1] / "probe" / "inject.py"

DOOR = "tensorpeek.probe.entry (debugger)"
"""The injector's name for the probe."""

Request = Callable[[str, Message], "asyncio.Future[Message]"]


class ProbeFailed(Exception):
    """The probe did not answer, or answered that it could not; the message is for the log."""


class ProbeLink:
    """Typed calls to the probe of one debuggee; `request` sends a request of ours to debugpy."""

    def __init__(self, request: Request) -> None:
        self._request = request

    async def install(self, budgets: ConfigureArguments) -> ProcessInfo:
        """Loads the probe into the debuggee, or configures the one that a forked child inherited.

        However late: a debuggee that is busy in C code takes its time.
        """
        space = json.dumps({"__name__": "tensorpeek.probe.inject", "__file__": str(INJECTOR)})
        source = f"__import__('pathlib').Path({str(INJECTOR)!r}).read_text('utf-8')"
        run = f"(lambda space: exec(compile({source}, {str(INJECTOR)!r}, 'exec'), space) or space)({space})"
        expression = f"{run}['install']({json.dumps(budgets)!r})"
        return cast(ProcessInfo, _body(await self._asked(expression)))

    async def process(self) -> ProcessInfo:
        return cast(ProcessInfo, await self._call("process", {}, 5))

    async def summarize(self, arguments: SummarizeArguments) -> SummarizeResult:
        # What is not there soon after the budget is shown unfinished: no answer waits for a busy probe.
        patience = arguments["budgetMs"] / 1000 + 0.25
        return cast(SummarizeResult, await self._call("summarize", arguments, patience))

    async def refine(self, arguments: RefineArguments) -> RefineResult:
        return cast(RefineResult, await self._call("refine", arguments, 60))

    async def lines(self, arguments: LinesArguments) -> LinesResult:
        return cast(LinesResult, await self._call("lines", arguments, arguments["budgetMs"] / 1000 + 5))

    async def tensors(self, arguments: TensorsArguments) -> TensorTable:
        return cast(TensorTable, await self._call("tensors", arguments, 30))

    async def conditions(self, arguments: ConditionsArguments) -> None:
        await self._call("conditions", arguments, 5)

    async def stop(self, arguments: StopArguments) -> StopInfo:
        return cast(StopInfo, await self._call("stop", arguments, 5))

    async def training(self) -> TrainingState:
        return cast(TrainingState, await self._call("training", {}, 5))

    async def action(self, arguments: TrainingActionArguments) -> TrainingActionResult:
        return cast(TrainingActionResult, await self._call("action", arguments, 60))

    async def recommend(self) -> Recommendations:
        return cast(Recommendations, await self._call("recommend", {}, 30))

    async def module_breakpoints(self, arguments: ModuleBreakpointsArguments) -> CheckedBreakpoints:
        return cast(CheckedBreakpoints, await self._call("moduleBreakpoints", arguments, 10))

    async def watch_info(self, arguments: WatchInfoArguments) -> WatchInfo:
        return cast(WatchInfo, await self._call("watchInfo", arguments, 5))

    async def watches(self, arguments: WatchesArguments) -> CheckedBreakpoints:
        return cast(CheckedBreakpoints, await self._call("watches", arguments, 10))

    async def first_step(self, arguments: FirstStepArguments) -> None:
        await self._call("firstStep", arguments, 5)

    async def trace_shapes(self, arguments: TraceFrameArguments) -> TraceResult:
        return cast(TraceResult, await self._call("traceShapes", arguments, 60))

    async def _call(self, command: str, arguments: object, patience: float) -> dict[str, Any]:
        handle = f'__import__("sys").modules["{DOOR}"].handle'
        return await self._evaluate(f"{handle}({command!r}, {json.dumps(arguments)!r})", patience)

    async def _evaluate(self, expression: str, patience: float) -> dict[str, Any]:
        answer = self._asked(expression)
        await asyncio.wait([answer], timeout=patience)
        if not answer.done():
            raise ProbeFailed(f"no answer within {patience:.1f} s")
        return _body(answer.result())

    def _asked(self, expression: str) -> asyncio.Future[Message]:
        return self._request("evaluate", {"expression": expression, "context": "repl"})


def _body(response: Message) -> dict[str, Any]:
    if not response["success"]:
        raise ProbeFailed(str(response.get("message")))
    text: str = response["body"]["result"]
    try:
        reply = cast(ProbeReply, json.loads(text))
        version, ok = reply["contractVersion"], reply["ok"]
    except (ValueError, TypeError, KeyError):
        raise ProbeFailed(f"not a reply: {text[:500]}") from None
    if version != CONTRACT_VERSION:
        raise ProbeFailed(f"contract version {version} instead of {CONTRACT_VERSION}")
    if not ok:
        raise ProbeFailed(reply.get("error", "no reason given"))
    return reply.get("body", {})
