"""Real messages about a training: from a session that stops for NaN in gradients, and from the server."""

from __future__ import annotations

import asyncio
import json
import tempfile
from pathlib import Path
from typing import Any

from harness.session import DEBUGGEES, DebugSession, line_of
from tensorpeek.adapter.probe_link import ProbeLink
from tensorpeek.contract.messages import (
    ConditionsArguments,
    ModuleBreakpointsArguments,
    StopArguments,
    TrainingActionArguments,
    WatchesArguments,
    WatchInfoArguments,
)
from tensorpeek.server.explain_condition import explain_condition
from tensorpeek.server.source import Source
from tensorpeek.server.training_breakpoints import training_breakpoints

Messages = dict[str, Any]
PROGRAM = DEBUGGEES / "going_wrong.py"
PATIENCE = 100.0


async def of_a_training() -> Messages:
    with tempfile.TemporaryDirectory() as folder, DebugSession() as session:
        session.launch(
            PROGRAM,
            args=["nan", "8"],
            exceptions=["tp.nan-gradient"],
            tensorpeek={"runsFolder": folder},
        )
        stop = session.wait_for_stop(PATIENCE)

        def ask(command: str, arguments: Messages) -> asyncio.Future[Messages]:
            answer = asyncio.get_running_loop().create_future()
            answer.set_result(session.client.ask(command, arguments))
            return answer

        link = ProbeLink(ask)
        conditions: ConditionsArguments = {
            "conditions": [{"condition": "loss-spike", "settings": {"factor": 8, "window": 50}}],
            "budgetPercent": 0.5,
            "runsFolder": folder,
            "capsule": "",
        }
        which: StopArguments = {"threadId": stop.thread, "frameId": 0}
        action: TrainingActionArguments = {"action": "setLearningRate", "value": 0.001}
        module_breakpoints: ModuleBreakpointsArguments = {
            "breakpoints": [{"pattern": "0", "phase": "forward", "condition": "", "hitCondition": ""}]
        }
        variable: WatchInfoArguments = {"reference": 0, "name": "targets", "frameId": stop.frame}
        watch_info = await link.watch_info(variable)
        watches: WatchesArguments = {
            "watches": [{"dataId": watch_info["dataId"], "condition": "", "hitCondition": ""}]
        }
        state = session.request("tensorpeek/training")
        recommendations = session.request("tensorpeek/recommend")
        finding = session.client.next_event("tensorpeek/finding")
        run = next(Path(folder).glob("*/run.json"))
        checked = await link.module_breakpoints(module_breakpoints)
        messages: Messages = {
            "Finding": finding,
            "RelatedLine": finding["related"][0],
            "RunInfo": json.loads(run.read_text(encoding="utf-8")),
            "StopArguments": which,
            "StopInfo": await link.stop(which),
            "TrainingState": state,
            "LossState": state["losses"][0],
            "Recommendations": recommendations,
            "Recommendation": recommendations["recommendations"][0],
            "TrainingAction": action["action"],
            "TrainingActionArguments": action,
            "TrainingActionResult": session.request("tensorpeek/trainingAction", **action),
            "NoArguments": {},
            "ModuleBreakpointsArguments": module_breakpoints,
            "ModuleBreakpoint": module_breakpoints["breakpoints"][0],
            "CheckedBreakpoints": checked,
            "CheckedBreakpoint": checked["breakpoints"][0],
            "WatchInfoArguments": variable,
            "WatchInfo": watch_info,
            "WatchesArguments": watches,
            "Watch": watches["watches"][0],
            "ConditionsArguments": conditions,
            "ConditionSettings": conditions["conditions"][0],
        }
        await link.watches(watches)
        await link.conditions(conditions)
        return json.loads(json.dumps(messages).replace(folder, "/project/.tensorpeek/runs"))


def of_the_server_about_lines() -> Messages:
    source, line = Source(PROGRAM.read_text(encoding="utf-8")), line_of("backward", PROGRAM) - 1
    entries = training_breakpoints(source, line)
    assert entries is not None
    explanation = explain_condition("tp.spike(loss, fac", source, line)
    uri = "file:///project/tests/debuggee/going_wrong.py"
    return {
        "TrainingBreakpointsParams": {"uri": uri, "line": line},
        "TrainingBreakpoints": entries,
        "TrainingBreakpointEntry": next(entry for entry in entries["entries"] if entry["fields"]),
        "TrainingBreakpointField": next(field for entry in entries["entries"] for field in entry["fields"]),
        "ConditionParams": {"text": "tp.spike(loss, fac", "uri": uri, "line": line},
        "ConditionExplanation": explanation,
        "ConditionCompletion": explanation["completions"][0],
    }
