"""Reads the `envFile` of a launch configuration: dotenv rules."""

from __future__ import annotations

import re
from collections.abc import Mapping

_ASSIGNMENT = re.compile(
    r"""
    ^[ \t]*(?:export[ \t]+)?
    (?P<name>[A-Za-z_][\w.]*)
    [ \t]*=[ \t]*
    (?:
        '(?P<single>[^']*)'            # literal, may span lines
      | "(?P<double>(?:\\.|[^"\\])*)"  # escapes and variables, may span lines
      | (?P<bare>[^\r\n]*?)            # variables; ends at a comment
    )
    [ \t]*(?:(?:(?<=[ \t])|(?<=['"]))\#[^\r\n]*)?\r?$
    """,
    re.MULTILINE | re.VERBOSE,
)
_VARIABLE = re.compile(r"(?<!\\)\$\{(\w+)\}")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}


def parse_env_file(text: str, surroundings: Mapping[str, str]) -> dict[str, str]:
    """The variables that the file sets, in its order.

    `${NAME}` stands for an earlier variable of the file, else one of the surroundings, else nothing; single
    quotes keep it as it is. Lines that assign nothing are passed over.
    """
    variables: dict[str, str] = {}

    def expanded(value: str) -> str:
        return _VARIABLE.sub(lambda m: variables.get(m[1], surroundings.get(m[1], "")), value)

    for found in _ASSIGNMENT.finditer(text.lstrip("\ufeff")):
        if found["single"] is not None:
            value = found["single"]
        elif found["double"] is not None:
            value = _ESCAPE.sub(lambda m: _ESCAPES.get(m[1], m[1]), expanded(found["double"]))
        else:
            value = expanded(found["bare"])
        variables[found["name"]] = value
    return variables
