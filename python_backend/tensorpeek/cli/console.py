"""What `tensorpeek run` says on stderr: each finding as it comes, and a summary at the end."""

from __future__ import annotations

import os
import sys
from typing import TextIO

from tensorpeek.contract.messages import Finding
from tensorpeek.runs.folder import rank

MOST_EVIDENCE = 20
MOST_LISTED = 20
CONTROL = {code: "?" for code in (*range(32), *range(127, 160)) if code not in (9, 10)}
"""Characters of the user's values that would move the cursor or change colours."""


class Console:
    """The stderr that the program was started with, whatever the program makes of `sys.stderr` later."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream if stream is not None else sys.stderr
        self._is_coloured = shows_colours(self._stream)

    def finding(self, finding: Finding) -> None:
        lines = [f"{self._red('tensorpeek: ' + clean(finding['title']))} · {_when(finding)}"]
        if finding["path"]:
            where = self._bold(clean(_where(finding["path"], finding["line"])))
            lines.append(f"  {where}  {clean(finding['lineText'].strip())}")
        lines.append(f"  {clean(finding['message'])}")
        lines += [f"    {clean(line)}" for line in finding["evidence"][:MOST_EVIDENCE]]
        for related in finding["related"]:
            lines.append(clean(f"  {_where(related['path'], related['line'])}  {related['message']}"))
        lines += [f"  → {clean(advice)}" for advice in finding["next"]]
        self.say("\n".join(lines))

    def summary(self, steps: int, findings: list[Finding], folder: str, remarks: list[str]) -> None:
        """`folder` is the run folder, empty where nothing was written; `remarks` say what was not seen."""
        count = f"{len(findings)} finding{'' if len(findings) == 1 else 's'}" if findings else "nothing found"
        number = rank()
        who = "" if number is None else f"rank {number}: "
        lines = [f"tensorpeek: {who}{count} in {steps} step{'' if steps == 1 else 's'}"]
        for finding in findings[:MOST_LISTED]:
            where = f"  {_where(finding['path'], finding['line'])}" if finding["path"] else ""
            lines.append(clean(f"  {finding['number']}. {finding['title']} (step {finding['step']}){where}"))
        if len(findings) > MOST_LISTED:
            lines.append(f"  … {len(findings) - MOST_LISTED} more")
        lines += [clean(f"  {remark}") for remark in remarks]
        if folder:
            lines.append(f"  {_short(folder)}")
        self.say("\n".join(lines))

    def say(self, text: str) -> None:
        try:
            self._stream.write(text + "\n")
            self._stream.flush()
        except (OSError, ValueError):
            pass  # The user closed it; the run folder has the findings.

    def _red(self, text: str) -> str:
        return f"\033[1;31m{text}\033[0m" if self._is_coloured else text

    def _bold(self, text: str) -> str:
        return f"\033[1m{text}\033[0m" if self._is_coloured else text


def clean(text: str) -> str:
    return text.translate(CONTROL)


def shows_colours(stream: TextIO) -> bool:
    """Whether it is a terminal whose user has not asked for plain text."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    try:
        return stream.isatty()
    except (AttributeError, ValueError):
        return False


def _when(finding: Finding) -> str:
    words = [f"step {finding['step']}"]
    if finding["epoch"] >= 0:
        words.append(f"epoch {finding['epoch']}")
    if finding["rank"] or rank() is not None:
        words.append(f"rank {finding['rank']}")
    return ", ".join(words)


def _where(path: str, line: int) -> str:
    return f"{_short(path)}:{line}"


def _short(path: str) -> str:
    """Relative to the working directory where it lies in it, as a terminal makes a link of."""
    try:
        relative = os.path.relpath(path)
    except (OSError, ValueError):
        return path
    return path if relative.startswith("..") else relative
