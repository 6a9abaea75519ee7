"""Whether a data set catches errors of its own when it gives a sample: seen in a copy of the process."""

from __future__ import annotations

import ast
import sys
from types import FrameType
from typing import Any, NamedTuple

from tensorpeek.probe import raw
from tensorpeek.probe.replay.copy_of_process import NoCopy, in_copy, obstacle
from tensorpeek.probe.training import source
from tensorpeek.probe.training.places import Place, is_users_code

SECONDS = 5.0
MOST_ROWS = 40
"""That are asked for again."""
WRAPPING = ("dataset", "datasets")
"""Attributes in which data sets keep those that they are made of."""


class Swallowed(NamedTuple):
    rows: list[int]
    """Of those asked for, the ones whose error was caught."""
    place: Place
    """The handler."""
    error: str
    """The exception's class."""


def catches(dataset: Any) -> bool:
    """Whether the text of the data set's class, or of one inside, has a handler that does not raise again."""
    return any(_handlers(type(each)) for each in _inside(dataset))


def name_of(dataset: Any) -> str:
    return next((type(each).__name__ for each in _inside(dataset) if _handlers(type(each))), "the data set")


def swallowed(dataset: Any, rows: list[int]) -> Swallowed | None:
    """Asks for the rows again in a copy; None where no error is caught there, or nothing can be copied."""
    if obstacle(None):
        return None
    chosen = rows[:MOST_ROWS]
    try:
        found = in_copy(lambda: _ask(dataset, chosen), SECONDS, "asking for samples again", may_read=True)
    except NoCopy:
        return None
    if not found["rows"]:
        return None
    place = Place(found["path"], found["line"], found["function"])
    return Swallowed(found["rows"], place, found["error"])


def _ask(dataset: Any, rows: list[int]) -> dict[str, Any]:
    """In the copy: which of the rows raise inside and are given all the same."""
    found: list[int] = []
    path, line, function, error = "", 0, "", ""
    for row in rows:
        caught = _Caught()
        sys.settrace(caught)
        try:
            dataset[row]
        except Exception:  # noqa: BLE001  it comes out: nothing was swallowed
            continue
        finally:
            sys.settrace(None)
        handler = caught.handler()
        if handler is not None:
            found.append(row)
            path, line, function, error = *handler, caught.error
    return {"rows": found, "path": path, "line": line, "function": function, "error": error}


class _Caught:
    """A trace function: the outermost of the user's frames that an exception has come to."""

    def __init__(self) -> None:
        self.error = ""
        self._at: tuple[str, int, str] | None = None
        self._raised: BaseException | None = None

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "exception" and is_users_code(frame.f_code):
            kind, value, _ = argument
            if self._raised is None or value is self._raised:
                self._raised, self.error = value, kind.__name__
                self._at = (frame.f_code.co_filename, frame.f_lineno or 0, frame.f_code.co_name)
        return self

    def handler(self) -> tuple[str, int, str] | None:
        """The handler around the line where it was last seen."""
        if self._at is None:
            return None
        path, line, function = self._at
        tree = source.tree_of(path)
        inner = 0
        for node in ast.walk(tree) if tree is not None else ():
            is_around = isinstance(node, ast.Try) and (
                node.body[0].lineno <= line <= (node.body[-1].end_lineno or 0)
            )
            if isinstance(node, ast.Try) and is_around and node.handlers:
                inner = max(inner, node.handlers[0].lineno)
        return (path, inner, function) if inner else None


def _inside(dataset: Any) -> list[Any]:
    found, waiting = list[Any](), [dataset]
    while waiting and len(found) < 10:
        each = waiting.pop()
        found.append(each)
        own = raw.attributes(each)
        for name in WRAPPING:
            inner: Any = own.get(name)
            if isinstance(inner, (list, tuple)):
                waiting.extend(inner)
            elif inner is not None:
                waiting.append(inner)
    return found


def _handlers(cls: type) -> bool:
    if not source.is_users_class(cls):
        return False
    tree = source.tree_of(source.file_of_class(cls))
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.ClassDef) and node.name == cls.__name__:
            handlers = [part for part in ast.walk(node) if isinstance(part, ast.ExceptHandler)]
            return any(not any(isinstance(part, ast.Raise) for part in ast.walk(each)) for each in handlers)
    return False
