"""Requests that debugpy can't answer, and those that pass through."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from harness import DebugSession, RepeatingSession
from tensorpeek.adapter.arguments import problem_with

UNKNOWN = [
    "readMemory",
    "disassemble",
    "restartFrame",
    "restart",
    "loadedSources",
    "somethingNew",
    "tensorpeek/unknown",
    "__class__",
]


@pytest.fixture(scope="module")
def initialized() -> Iterator[DebugSession]:
    """One for all that is refused before it gets to debugpy."""
    with DebugSession() as session:
        session.initialize()
        yield session


def test_unknown_requests_are_refused_at_once(repeating_plain: RepeatingSession) -> None:
    repeating_plain.launch("loop.py", stops=["return"])
    repeating_plain.wait_for_stop()
    for command in UNKNOWN:
        response = repeating_plain.client.ask(command, {}, timeout=5)
        assert not response["success"]
        assert command in response["message"]
    assert repeating_plain.locals()["result"]["value"] == "6"


def test_requests_before_the_launch_are_answered(session: DebugSession) -> None:
    session.initialize()
    for command in ("threads", "variables", "scopes", "tensorpeek/tensors"):
        assert not session.client.ask(command, {"variablesReference": 1, "frameId": 1}, timeout=10)["success"]


def test_a_request_without_its_arguments_is_answered(repeating_plain: RepeatingSession) -> None:
    repeating_plain.launch("loop.py", stops=["return"])
    repeating_plain.wait_for_stop()
    for command in (
        "variables",
        "setVariable",
        "setExpression",
        "scopes",
        "tensorpeek/inlineValues",
        "cancel",
    ):
        repeating_plain.client.ask(command, timeout=10)
    assert repeating_plain.locals()["result"]["value"] == "6"


@pytest.mark.parametrize(
    ("command", "arguments", "problem"),
    [
        ("stackTrace", {"threadId": 1, "startFrame": "x"}, "startFrame is not a whole number"),
        ("stackTrace", {}, "threadId is missing"),
        ("evaluate", {"expression": None}, "expression is missing"),
        ("evaluate", {"expression": ["x"]}, "expression is not a text"),
        ("evaluate", {"expression": "x", "frameId": [1]}, "frameId is not a whole number"),
        ("variables", {"variablesReference": 1.5}, "variablesReference is not a whole number"),
        ("variables", {"variablesReference": True}, "variablesReference is not a whole number"),
        ("setBreakpoints", {"source": "x.py"}, "source is not an object"),
        ("setBreakpoints", {"source": {}}, "source.path is missing"),
        (
            "setBreakpoints",
            {"source": {"path": "x"}, "breakpoints": [{"line": "1"}]},
            "line is not a whole number",
        ),
        ("setBreakpoints", {"source": {"path": "x"}, "breakpoints": [1]}, "a breakpoint has no line"),
        ("setFunctionBreakpoints", {"breakpoints": [{}]}, "a breakpoint has no name"),
        ("source", {"source": {"path": "x"}}, "sourceReference is missing"),
        ("setExceptionBreakpoints", {"filters": "raised"}, "filters is not a list"),
    ],
)
def test_arguments_that_debugpy_would_break_on_are_refused(
    initialized: DebugSession, command: str, arguments: dict[str, Any], problem: str
) -> None:
    assert problem in initialized.client.ask(command, arguments, timeout=10)["message"]


def test_arguments_that_only_look_odd_are_passed_on() -> None:
    fine: list[tuple[str, dict[str, Any]]] = [
        ("variables", {"variablesReference": 1, "start": None, "count": 2.0}),
        ("evaluate", {"expression": "", "frameId": None}),
        ("stackTrace", {"threadId": "*"}),
        ("continue", {}),
        ("anything", {"line": 3, "unheardOf": object()}),
    ]
    assert [problem_with(command, arguments) for command, arguments in fine] == [None] * len(fine)


def test_a_configuration_without_a_launch_is_refused(session: DebugSession) -> None:
    session.initialize()
    assert not session.client.ask("configurationDone", timeout=10)["success"]
    session.launch("loop.py", stops=["return"])
    session.wait_for_stop()
    assert session.locals()["result"]["value"] == "6"


def test_requests_after_the_end_are_refused(session: DebugSession) -> None:
    session.launch("loop.py")
    session.run_to_end()
    for command in ("threads", "evaluate", "continue", "somethingNew"):
        session.client.ask(command, {"expression": "1", "threadId": 1}, timeout=10)
    assert session.client.ask("terminate", {}, timeout=10)["success"]


def test_capabilities_are_debugpys_and_ours(session: DebugSession) -> None:
    session.initialize()
    with DebugSession("debugpy") as plain:
        plain.initialize()
        ours, theirs = session.server_capabilities, plain.server_capabilities
    boxes = theirs["exceptionBreakpointFilters"]
    assert ours["exceptionBreakpointFilters"][: len(boxes)] == boxes
    assert {key: ours[key] for key in theirs} | {"exceptionBreakpointFilters": boxes} == theirs
    assert {key: value for key, value in ours.items() if key not in theirs} == {
        "supportsCancelRequest": True,
        "supportsDataBreakpoints": True,
        "supportsExceptionFilterOptions": True,
    }


def test_colours_are_announced_to_clients_that_have_them() -> None:
    with DebugSession(capabilities={"supportsANSIStyling": True}) as session:
        assert session.initialize()["supportsANSIStyling"] is True


def test_every_message_has_its_own_number(session: DebugSession) -> None:
    session.launch("loop.py", stops=["return"])
    session.wait_for_stop()
    session.request("threads")
    numbers = [record.message["seq"] for record in session.client.records if not record.sent]
    assert numbers == list(range(1, len(numbers) + 1))


@pytest.mark.parametrize("adapter", ["tensorpeek", "debugpy"])
def test_the_rest_is_as_in_debugpy(adapter: str) -> None:
    with DebugSession(adapter) as session:
        session.launch("loop.py", stops=["add"])
        stop = session.wait_for_stop()
        names = [f["name"] for f in stop.frames]
        assert names == ["total", "main", "<module>"]
        assert session.request("modules")["modules"]
        items = session.request("completions", frameId=stop.frame, text="resu", column=5)["targets"]
        assert [item["label"] for item in items] == ["result"]
        assert session.next().line == stop.line - 1
        session.request("setBreakpoints", source=stop.frames[0]["source"], breakpoints=[])
        assert session.step_out().frames[0]["name"] == "main"
        targets = session.request("gotoTargets", source=stop.frames[0]["source"], line=24)["targets"]
        assert targets
        assert session.request("debugpySystemInfo")["debugpy"]["version"]
