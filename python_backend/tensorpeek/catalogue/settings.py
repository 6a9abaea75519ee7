"""Reads and writes the settings of a condition as the user edits them: `factor=5 window=50`."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from difflib import get_close_matches

from tensorpeek.catalogue.condition_info import ConditionInfo

ASSIGNMENT = re.compile(r"\s*([A-Za-z_]\w*)\s*[=:]\s*([^\s,;]+)\s*[,;]?")


class SettingsProblem(ValueError):
    """What is wrong with the text, for the user."""


def parse_settings(info: ConditionInfo, text: str) -> dict[str, float]:
    """The value of every parameter of the condition: from the text, else its default.

    A number alone is the value of the first parameter. Raises SettingsProblem.
    """
    values = {parameter.name: parameter.default for parameter in info.parameters}
    stripped = text.strip()
    if not stripped:
        return values
    alone = _number(stripped)
    if alone is not None and info.parameters:
        values[info.parameters[0].name] = alone
        return values
    position = 0
    while position < len(stripped):
        match = ASSIGNMENT.match(stripped, position)
        if match is None:
            raise SettingsProblem(f"{stripped[position:]!r} is not of the form name=number. {usage(info)}")
        name, value = match[1], _number(match[2])
        if name not in values:
            close = get_close_matches(name, list(values), 1)
            hint = f"; did you mean {close[0]}?" if close else ""
            raise SettingsProblem(f"{info.label} has no {name!r}{hint} {usage(info)}")
        if value is None:
            raise SettingsProblem(f"{name}={match[2]!r} is not a number")
        values[name] = value
        position = match.end()
    return values


def usage(info: ConditionInfo) -> str:
    """Every parameter with its default and meaning, for a placeholder or an error."""
    parts = [f"{parameter.name}={parameter.default:g} ({parameter.help})" for parameter in info.parameters]
    return ", ".join(parts) or "It has no settings."


def format_settings(values: Mapping[str, float]) -> str:
    return " ".join(f"{name}={value:g}" for name, value in values.items())


def _number(text: str) -> float | None:
    try:
        value = float(text.rstrip("%"))
    except ValueError:
        return None
    if not math.isfinite(value):
        return None
    return value / 100 if text.endswith("%") else value
