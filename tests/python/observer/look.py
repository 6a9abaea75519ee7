"""Looks at everything that a user could look at while the program is paused."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from harness import DebugSession
from harness.client import Message

MOST_EXPANSIONS = 150
"""Of one stop; breadth first, so that each scope and each level gets its share."""

DEEPEST = 3

CONTEXTS = ("hover", "watch", "variables", "clipboard", "repl")


@dataclass
class Seen:
    """What one stop showed, by counts, so that a test can tell a look from a glance."""

    expansions: int = 0
    refined: int = 0
    evaluations: int = 0
    rows: int = 0
    inline_values: int = 0
    values: list[str] = field(default_factory=list)


def look_at_everything(session: DebugSession, frames: int = 2) -> Seen:
    """Scopes and their children to `DEEPEST` levels, every context of evaluate, and our own requests."""
    seen = Seen()
    stop = session.wait_for_stop() if session.stop is None else session.stop
    for frame in stop.frames[:frames]:
        names = _expand_scopes(session, frame["id"], seen)
        _evaluate(session, frame["id"], names, seen)
        if session.adapter == "tensorpeek":
            _ask_for_tables(session, frame, seen)
    return seen


def _expand_scopes(session: DebugSession, frame: int, seen: Seen) -> list[str]:
    names: list[str] = []
    scopes = session.request("scopes", frameId=frame)["scopes"]
    waiting = deque((scope["variablesReference"], 0) for scope in scopes)
    expansions = 0
    while waiting and expansions < MOST_EXPANSIONS:
        reference, depth = waiting.popleft()
        expansions += 1
        for variable in session.request("variables", variablesReference=reference)["variables"]:
            seen.values.append(variable["value"])
            if depth == 0 and variable["name"].isidentifier():
                names.append(variable["name"])
            if variable.get("presentationHint", {}).get("lazy"):
                seen.refined += 1
            if depth < DEEPEST and _worth_expanding(variable):
                waiting.append((variable["variablesReference"], depth + 1))
    seen.expansions += expansions
    return names


def _worth_expanding(variable: Message) -> bool:
    """A module's attributes are the library's, not the user's, and there are thousands."""
    return variable["variablesReference"] > 0 and variable.get("type") != "module"


def _evaluate(session: DebugSession, frame: int, names: list[str], seen: Seen) -> None:
    for name in names:
        for context in CONTEXTS:
            arguments = {"expression": name, "frameId": frame, "context": context}
            answer = session.client.ask("evaluate", arguments)
            seen.evaluations += 1
            if answer["success"] and context == "hover" and answer["body"]["variablesReference"]:
                session.request("variables", variablesReference=answer["body"]["variablesReference"])


def _ask_for_tables(session: DebugSession, frame: Message, seen: Seen) -> None:
    table = session.request("tensorpeek/tensors", frameId=frame["id"], limit=500, budgetMs=100)
    seen.rows += len(table["rows"])
    inline = session.request(
        "tensorpeek/inlineValues",
        frameId=frame["id"],
        path=frame["source"]["path"],
        startLine=1,
        endLine=frame["line"],
    )
    seen.inline_values += len(inline["values"])
