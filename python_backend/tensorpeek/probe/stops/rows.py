"""The rows of the scope that a stop of ours adds to a frame."""

from __future__ import annotations

from typing import Any

from tensorpeek.catalogue.sparkline import sparkline
from tensorpeek.contract.messages import Finding
from tensorpeek.probe.kinds.kind import Child
from tensorpeek.probe.presentation import Text


def rows(finding: Finding | None, values: dict[str, Any]) -> list[Child]:
    """What was found, a line each, and below it the values that it was found in."""
    facts = [] if finding is None else [Child(name, Text(text)) for name, text in _facts(finding) if text]
    return facts + [Child(name, value, _expression(name)) for name, value in values.items()]


def _facts(finding: Finding) -> list[tuple[str, str]]:
    return [
        ("(cause)", finding["message"]),
        ("(where)", f"{finding['path']}:{finding['line']}" if finding["path"] else ""),
        ("(module)", finding["module"]),
        ("(step)", str(finding["step"])),
        ("(epoch)", str(finding["epoch"]) if finding["epoch"] >= 0 else ""),
        ("(value)", "" if finding["value"] is None else _number(finding["value"])),
        ("(threshold)", "" if finding["threshold"] is None else _number(finding["threshold"])),
        ("(history)", sparkline(finding["history"])),
    ]


def _number(number: float | str) -> str:
    return number if isinstance(number, str) else f"{number:.6g}"


def _expression(name: str) -> Any:
    """What gives the value in the Debug Console and in a watch, while the program is stopped."""
    return lambda parent: f"tp.values[{name!r}]"
