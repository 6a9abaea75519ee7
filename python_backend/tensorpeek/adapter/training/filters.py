"""Takes the check boxes of a `setExceptionBreakpoints` apart: debugpy's, and ours, which it does not know.

A client that knows conditions on filters sends every filter among `filterOptions`, debugpy's own too; debugpy
knows only `filters`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, cast

from tensorpeek.adapter.framing import Message
from tensorpeek.catalogue.condition_info import FILTER_PREFIX, ConditionInfo
from tensorpeek.catalogue.conditions import BY_ID, CONDITIONS
from tensorpeek.catalogue.settings import SettingsProblem, format_settings, parse_settings
from tensorpeek.contract.messages import ConditionSettings


@dataclass
class Filters:
    """A request, taken apart."""

    debugpys: Message
    """The arguments for debugpy."""
    conditions: list[ConditionSettings] = field(default_factory=list[ConditionSettings])
    """Ours that can work."""
    answers: list[Message] = field(default_factory=list[Message])
    """A DAP Breakpoint for each filter, filter option and exception option, in this order."""
    ours: list[int] = field(default_factory=list[int])
    """Which of the answers are about `conditions`."""


def exception_filters() -> list[Message]:
    """The check boxes that we add, as `initialize` answers them."""
    return [_filter(info) for info in CONDITIONS]


def _filter(info: ConditionInfo) -> Message:
    box: Message = {
        "filter": info.filter,
        "label": info.label,
        "description": info.description,
        "default": False,
        "supportsCondition": bool(info.parameters),
    }
    if info.parameters:
        defaults = format_settings({each.name: each.default for each in info.parameters})
        box["conditionDescription"] = defaults
    return box


def split(arguments: Message) -> Filters:
    passed_on = {name: value for name, value in arguments.items() if name != "filterOptions"}
    filters = Filters(passed_on)
    debugpys: list[Any] = []
    for identity, condition in _asked(arguments):
        if isinstance(identity, str) and identity.startswith(FILTER_PREFIX):
            _add_ours(filters, identity[len(FILTER_PREFIX) :], condition)
        else:
            debugpys.append(identity)
            filters.answers.append({"verified": True})
    passed_on["filters"] = list(dict.fromkeys(debugpys))
    filters.answers += [{"verified": True} for _ in arguments.get("exceptionOptions") or ()]
    return filters


def _asked(arguments: Message) -> list[tuple[Any, str]]:
    """Filter and condition of each."""
    given = cast("list[object]", arguments.get("filterOptions") or [])
    options = [cast(Message, option) for option in given if isinstance(option, dict)]
    plain: list[tuple[Any, str]] = [(identity, "") for identity in arguments.get("filters") or ()]
    return plain + [(option.get("filterId"), str(option.get("condition") or "")) for option in options]


def _add_ours(filters: Filters, identity: str, condition: str) -> None:
    info = BY_ID.get(identity)
    if info is None:
        close = get_close_matches(identity, list(BY_ID), 1)
        hint = f"; did you mean {FILTER_PREFIX}{close[0]}?" if close else ""
        problem = f"TensorPeek has no condition {FILTER_PREFIX}{identity}{hint}"
        filters.answers.append({"verified": False, "message": problem})
        return
    try:
        settings = parse_settings(info, condition)
    except SettingsProblem as problem:
        filters.answers.append({"verified": False, "message": str(problem)})
        return
    filters.ours.append(len(filters.answers))
    filters.answers.append({"verified": True})
    filters.conditions.append({"condition": identity, "settings": {**settings}})
