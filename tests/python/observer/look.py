"""Looks at everything that a user could look at while the program is paused."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import NamedTuple

from harness import DebugSession, RequestFailed
from harness.client import Message

DEEPEST = 3
"""Levels below a scope."""


class Effort(NamedTuple):
    """How much to look at in one stop."""

    frames: int
    expansions: int
    """Per frame, breadth first, so that each scope and level gets its share."""
    names: int
    """Evaluated per frame."""
    contexts: tuple[str, ...]


# Not repl and clipboard: there the user asks for Python's own repr, and it runs what the user's modes do.
THOROUGH = Effort(2, 120, 40, ("hover", "watch", "variables"))
BRIEF = Effort(1, 25, 12, ("hover",))


@dataclass
class Seen:
    """What one stop showed, by counts, so that a test can tell a look from a glance."""

    expansions: int = 0
    lazy: int = 0
    evaluations: int = 0
    rows: int = 0
    inline_values: int = 0


def look(session: DebugSession, effort: Effort) -> Seen:
    """Scopes and their children, evaluations, and our own requests, in the topmost frames."""
    assert session.stop is not None
    seen = Seen()
    for frame in session.stop.frames[: effort.frames]:
        names = _expand_scopes(session, frame["id"], effort, seen)
        _evaluate(session, frame["id"], names[: effort.names], effort, seen)
        _ask_for_tables(session, frame, seen)
    return seen


def _expand_scopes(session: DebugSession, frame: int, effort: Effort, seen: Seen) -> list[str]:
    """Returns the names in the scopes, without duplicates."""
    names: dict[str, None] = {}
    scopes = session.request("scopes", frameId=frame)["scopes"]
    waiting = deque((scope["variablesReference"], 0) for scope in scopes)
    for _ in range(effort.expansions):
        if not waiting:
            break
        reference, depth = waiting.popleft()
        seen.expansions += 1
        for variable in session.request("variables", variablesReference=reference)["variables"]:
            if depth == 0 and variable["name"].isidentifier():
                names[variable["name"]] = None
            seen.lazy += "lazy" in variable.get("presentationHint", {})
            if depth < DEEPEST and _worth_expanding(variable):
                waiting.append((variable["variablesReference"], depth + 1))
    return list(names)


def _worth_expanding(variable: Message) -> bool:
    """A module's attributes are the library's, not the user's, and there are thousands."""
    return variable["variablesReference"] > 0 and variable.get("type") != "module"


def _evaluate(session: DebugSession, frame: int, names: list[str], effort: Effort, seen: Seen) -> None:
    for name in names:
        for context in effort.contexts:
            try:
                value = session.evaluate(name, context, frame)
            except RequestFailed:
                continue
            seen.evaluations += 1
            if context == "hover" and _worth_expanding(value):
                session.request("variables", variablesReference=value["variablesReference"])


def _ask_for_tables(session: DebugSession, frame: Message, seen: Seen) -> None:
    table = session.request("tensorpeek/tensors", frameId=frame["id"], limit=500, budgetMs=100)
    seen.rows += len(table["rows"])
    path, line = frame["source"]["path"], frame["line"]
    inline = session.request(
        "tensorpeek/inlineValues", frameId=frame["id"], path=path, startLine=1, endLine=line
    )
    seen.inline_values += len(inline["values"])
