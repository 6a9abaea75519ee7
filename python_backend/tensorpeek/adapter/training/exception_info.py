"""What a finding says when the program stops for it: DAP's `exceptionInfo`, in three plain texts."""

from __future__ import annotations

import re
import textwrap

from tensorpeek.adapter.framing import Message
from tensorpeek.catalogue.sparkline import sparkline
from tensorpeek.contract.messages import Finding, Number

WIDTH = 100
"""Characters of a line; the widget does not wrap."""
BETWEEN_SENTENCES = re.compile(r"(?<=[\w)`%]\.) (?=[A-Z`])")


def exception_info(finding: Finding) -> Message:
    """`description` is the cause and what to do; `details.stackTrace` the evidence, in monospace."""
    parts = [
        BETWEEN_SENTENCES.sub("\n", finding["message"]),
        _when(finding),
        *(f"• {advice}" for advice in finding["next"]),
    ]
    return {
        "exceptionId": finding["title"],
        "description": "\n".join(filter(None, parts)),
        "breakMode": "always",
        "details": {
            "message": finding["message"],
            "typeName": finding["title"],
            "stackTrace": "\n".join(_evidence(finding)),
        },
    }


def _when(finding: Finding) -> str:
    parts = [f"step {finding['step']}"] if finding["step"] >= 0 else []
    if finding["epoch"] >= 0:
        parts.append(f"epoch {finding['epoch']}")
    if finding["rank"] > 0:
        parts.append(f"rank {finding['rank']}")
    if finding["module"]:
        parts.append(f"module {finding['module']}")
    return "At " + ", ".join(parts) + "." if parts else ""


def _evidence(finding: Finding) -> list[str]:
    lines: list[str] = []
    if finding["path"]:
        # In this form an editor makes a link of it.
        lines.append(f'File "{finding["path"]}", line {finding["line"]}')
        lines.append(f"    {finding['lineText'].strip()}")
    for related in finding["related"]:
        lines.append(f'File "{related["path"]}", line {related["line"]}')
        lines += textwrap.wrap(related["message"], WIDTH, initial_indent="    ", subsequent_indent="    ")
    if finding["value"] is not None:
        limit = "" if finding["threshold"] is None else f", threshold {_number(finding['threshold'])}"
        lines.append(f"value {_number(finding['value'])}{limit}")
    history = sparkline(finding["history"])
    if history:
        lines.append(f"history {history}")
    return lines + finding["evidence"]


def _number(number: Number) -> str:
    return number if isinstance(number, str) else f"{number:.6g}"
