"""One real message for each definition of the schema, taken from running processes.

What the probe says is taken from a program that plain debugpy debugs, through the adapter's own `ProbeLink`;
what the adapter says, from a session with the adapter; what the server says, from its function.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from recording_frame import of_a_frame
from recording_profile import of_a_profile
from recording_shapes import of_a_trace
from recording_training import of_a_training, of_the_server_about_lines

from harness.session import DEBUGGEES, REPOSITORY, DebugSession
from tensorpeek.adapter.probe_link import ProbeLink
from tensorpeek.contract.envelope import unwrap
from tensorpeek.contract.messages import (
    ConfigureArguments,
    LinesArguments,
    RefineArguments,
    SummarizeArguments,
)
from tensorpeek.server.expression import evaluatable_expression
from tensorpeek.server.source import Source

Messages = dict[str, Any]
PROGRAM = DEBUGGEES / "tensors.py"
LAST_LINE = 100


def record_messages() -> Messages:
    """Definition name to message, without what differs from machine to machine."""
    messages = {**asyncio.run(of_the_probe()), **of_the_adapter(), **of_the_server()}
    messages |= {
        **asyncio.run(of_a_training()),
        **of_the_server_about_lines(),
        **of_a_trace(),
        **of_a_profile(),
    }
    messages |= asyncio.run(of_a_frame())
    messages["ProcessInfo"]["pid"] = messages["RunInfo"]["pid"] = 4711
    messages["ProbeReply"]["body"] = messages["ProcessInfo"]
    return json.loads(json.dumps(messages).replace(str(REPOSITORY), "/project"))


async def of_the_probe() -> Messages:
    with DebugSession("debugpy") as session:
        session.launch(PROGRAM, stops=["return"])
        session.wait_for_stop()
        replies: list[str] = []

        def ask(command: str, arguments: Messages) -> asyncio.Future[Messages]:
            answer = asyncio.get_running_loop().create_future()
            answer.set_result(session.client.ask(command, arguments))
            replies.append(answer.result()["body"]["result"])
            return answer

        link = ProbeLink(ask)
        # So much that a busy machine gives the same messages.
        configure: ConfigureArguments = {"valueBudgetMs": 5000, "answerBudgetMs": 5000}
        process = await link.install(configure)
        values = session.locals()
        large = values["large"]["variablesReference"]
        summarize: SummarizeArguments = {"references": [large], "budgetMs": 5000}
        refine: RefineArguments = {"reference": large, "sliceMs": 5000}
        lines: LinesArguments = {
            "frameId": session.stop.frame if session.stop else 0,
            "expressions": ["small", "weight"],
            "budgetMs": 60,
        }
        presentation = unwrap(values["broken"]["value"])
        assert presentation is not None
        return {
            "ConfigureArguments": configure,
            "ProcessInfo": process,
            "ProbeReply": json.loads(replies[0]),
            "Presentation": presentation,
            "PresentationKind": presentation["kind"],
            "PresentationStyle": first_style(session, values["broken"]),
            "SummarizeArguments": summarize,
            "SummarizeResult": await link.summarize(summarize),
            "RefineArguments": refine,
            "RefineResult": await link.refine(refine),
            "LinesArguments": lines,
            "LinesResult": await link.lines(lines),
        }


def first_style(session: DebugSession, variable: Messages) -> str:
    """The style of the first child, or child of a child, that has one."""
    waiting = [*session.expand(variable).values()]
    while waiting:
        child = waiting.pop(0)
        presentation = unwrap(child["value"])
        if presentation is not None and "style" in presentation:
            return presentation["style"]
        if child["variablesReference"]:
            waiting += session.expand(child).values()
    raise AssertionError("no child has a style")


def of_the_adapter() -> Messages:
    with DebugSession() as session:
        # Only a process with a role says what it is.
        session.launch(PROGRAM, stops=["return"], env={"RANK": "3", "WORLD_SIZE": "8"})
        frame = session.wait_for_stop().frame
        mode = session.client.next_event("tensorpeek/mode")
        process = session.client.next_event("tensorpeek/process")
        table = session.request("tensorpeek/tensors", frameId=frame)
        inline = session.request(
            "tensorpeek/inlineValues", frameId=frame, path=str(PROGRAM), startLine=1, endLine=LAST_LINE
        )
    broken = next(row for row in table["rows"] if row["expression"] == "broken")
    return {
        "Mode": mode["mode"],
        "ModeEvent": mode,
        "ProcessEvent": process,
        "TensorTable": table,
        "TensorRow": broken,
        "Number": broken["max"],
        "InlineValuesResult": inline,
        "InlineValue": inline["values"][0],
    }


def of_the_server() -> Messages:
    return {"EvaluatableExpression": evaluatable_expression(Source("loss = self.fc.weight\n"), 0, 11)}
