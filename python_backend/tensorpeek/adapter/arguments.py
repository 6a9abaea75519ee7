"""Finds what is wrong with the arguments of a request.

debugpy does not look: on a value of another type its side in the program fails, and answers nobody any more.
"""

from __future__ import annotations

from typing import Any, cast

from tensorpeek.adapter.framing import Message

KINDS: dict[str, tuple[str, ...]] = {
    "a whole number": (
        *("variablesReference", "frameId", "startFrame", "levels", "start", "count"),
        *("line", "column", "sourceReference", "targetId"),
    ),
    "a text": (
        "expression",
        "name",
        "value",
        "text",
        "context",
        "path",
        "condition",
        "hitCondition",
        "logMessage",
        "filterId",
    ),
    "a list": ("breakpoints", "filters", "filterOptions"),
    "an object": ("source", "format"),
}
KIND_OF = {name: kind for kind, names in KINDS.items() for name in names}

NEEDED: dict[str, tuple[str, ...]] = {
    "variables": ("variablesReference",),
    "scopes": ("frameId",),
    "stackTrace": ("threadId",),
    "evaluate": ("expression",),
    "setVariable": ("variablesReference", "name", "value"),
    "setExpression": ("expression", "value"),
    "setBreakpoints": ("source", "source.path"),
    "completions": ("text", "column"),
    "goto": ("threadId", "targetId"),
    "gotoTargets": ("source", "source.path", "line"),
    "exceptionInfo": ("threadId",),
    "stepInTargets": ("frameId",),
    "source": ("sourceReference",),
    "setExceptionBreakpoints": ("filters",),
    "setFunctionBreakpoints": ("breakpoints",),
    "setPydevdSourceMap": ("source", "source.path", "pydevdSourceMaps"),
}
"""What a command can't do without, where debugpy would try."""

OTHERWISE = frozenset({("tensorpeek/trainingAction", "value")})
"""Arguments of our own requests that are of another kind than DAP's of the same name."""

NEEDED_OF_BREAKPOINT = {"setBreakpoints": "line", "setFunctionBreakpoints": "name"}


def problem_with(command: str, arguments: Message) -> str | None:
    """Why nobody can act on these arguments, None when somebody can."""
    problem = _problem_of_kind(
        {name: value for name, value in arguments.items() if (command, name) not in OTHERWISE}
    )
    if problem is not None:
        return problem
    for name in NEEDED.get(command, ()):
        outer, _, inner = name.rpartition(".")
        if (arguments[outer] if outer else arguments).get(inner) is None:
            return f"{name} is missing"
    needed = NEEDED_OF_BREAKPOINT.get(command, "")
    for each in (arguments.get("breakpoints") or ()) if needed else ():
        if not isinstance(each, dict) or cast(Message, each).get(needed) is None:
            return f"a breakpoint has no {needed}"
    return None


def _problem_of_kind(arguments: Message) -> str | None:
    """Also of what stands in objects and lists of objects, such as breakpoints."""
    for name, value in arguments.items():
        kind = KIND_OF.get(name)
        if kind is None or value is None:
            continue
        if not _is(kind, value):
            return f"{name} is not {kind}"
        for item in cast("list[object]", value if isinstance(value, list) else [value]):
            problem = _problem_of_kind(cast(Message, item)) if isinstance(item, dict) else None
            if problem is not None:
                return problem
    return None


def _is(kind: str, value: Any) -> bool:
    if kind == "a whole number":  # some clients know only floats
        return isinstance(value, (int, float)) and not isinstance(value, bool) and value % 1 == 0
    return isinstance(value, {"a text": str, "a list": list, "an object": dict}[kind])
