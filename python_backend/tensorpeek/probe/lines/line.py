"""A breakpoint's condition, hit count and log message, with what they remember."""

from __future__ import annotations

import re
from typing import Any, Callable

from tensorpeek.probe.lines.compiled import Compiled
from tensorpeek.probe.lines.hits import Hits
from tensorpeek.probe.quiet import ignored_warnings
from tensorpeek.probe.titles import clipped

HIT = "@HIT@"
"""Stands for the number in the hit condition that debugpy makes of `5`, `>= 5` or `% 5`."""
HIT_NAME = "_tensorpeek_hit"
LONGEST_ERROR = 500
COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>", "<lambda>")
MISSING_NAME = re.compile(r"'(\w+)'")

Report = Callable[[str], None]
"""Tells the user of an error in one of these texts."""


class Line:
    """One per breakpoint, kept while its texts stay the same."""

    def __init__(self, condition: str, hit_condition: str, message: str, report: Report) -> None:
        self.texts = (condition, hit_condition, message)
        self.hits = Hits()
        self.held = 0
        """How often the condition held, which is what a hit count counts."""
        self._report = report
        self._failed = False
        self._condition = self._compiled("condition", condition)
        self._message = self._compiled("log message", message)
        with ignored_warnings():
            self._hit_condition = self._compiled("hit count", hit_condition.replace(HIT, HIT_NAME))

    @property
    def uses_tp(self) -> bool:
        return any(text is not None and text.uses_tp for text in (self._condition, self._message))

    def holds(self, frame: Any) -> bool:
        """The line is reached: whether the condition holds, and the hit count with it. Never raises."""
        self.hits.begin()
        if self.texts[0] and not self._truth(self._condition, frame, "condition"):
            return False
        self.held += 1
        if not self.texts[1]:
            return True
        return self._truth(self._hit_condition, frame, "hit count", {HIT_NAME: self.held})

    def text(self, frame: Any) -> str | None:
        """The log message, None where it failed. Never raises."""
        if self._message is None:
            return None
        try:
            return str(self._message.evaluate(frame.f_globals, frame.f_locals))
        except KeyboardInterrupt:  # the user's own
            raise
        except BaseException as error:  # noqa: BLE001 - a text of the user's may raise anything, or `exit()`
            self._fail("log message", self.texts[2], error, frame)
            return None

    def _truth(
        self, compiled: Compiled | None, frame: Any, kind: str, more: dict[str, Any] | None = None
    ) -> bool:
        if compiled is None:
            return False
        try:
            names = frame.f_locals
            return bool(compiled.evaluate(frame.f_globals, {**names, **more} if more else names))
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - as above
            self._fail(kind, self.texts[0 if kind == "condition" else 1], error, frame)
            return False

    def _compiled(self, kind: str, text: str) -> Compiled | None:
        try:
            return Compiled(text, self.hits) if text else None
        except Exception as error:  # noqa: BLE001 - as above
            self._fail(kind, text, error, None)
            return None

    def _fail(self, kind: str, text: str, error: BaseException, frame: Any) -> None:
        """Told once: a loop may reach the line a million times."""
        if self._failed or is_unassigned(error, frame):
            return
        self._failed = True
        message = clipped(f"{type(error).__name__}: {error}", LONGEST_ERROR)
        if kind == "log message":
            self._report(f"the log message failed, and is left out from now on where it does: {message}")
        else:
            self._report(f"the {kind} `{clipped(text, 100)}` failed and does not stop here: {message}")


def is_unassigned(error: BaseException, frame: Any) -> bool:
    """Whether the text asks for a name that the code has not assigned yet, or not in this inner function.

    On the line `loss = f(x)` there is no `loss` the first time; and a line with a comprehension is reached in
    that as well.
    """
    code = getattr(frame, "f_code", None)
    if code is None or not isinstance(error, NameError):
        return False
    if code.co_name in COMPREHENSIONS:
        return True
    match = MISSING_NAME.search(str(error))
    names = code.co_varnames + code.co_cellvars
    return match is not None and match[1] in (names + code.co_names if code.co_name == "<module>" else names)
