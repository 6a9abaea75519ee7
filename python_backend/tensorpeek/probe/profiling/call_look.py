"""One step in which each call of the user's into torch is seen, by Python's own hook for profilers.

It tells what no sample tells: how many small operations a line starts, and where a tensor is given for what
has to be a number, which brings its value to Python without a word of it in the source.
"""

from __future__ import annotations

import ast
import linecache
import sys
from types import CodeType, FrameType
from typing import Any, NamedTuple

from tensorpeek.contract.messages import ProfiledFact
from tensorpeek.probe.profiling.stacks import text_of
from tensorpeek.probe.training.places import is_users_code

MOST_EVENTS = 300_000
MANY_CALLS = 100
"""Of a line in one step."""
MOST_FACTS = 20
NUMBERS = ("number", "Scalar", "float", "int")
"""What schemas of torch call a number of Python."""


class _Passed(NamedTuple):
    """A variable that the call at an instruction passes as a keyword for which torch wants a number."""

    keyword: str
    variable: str


class CallLook:
    def __init__(self) -> None:
        self._calls: dict[tuple[str, int], int] = {}
        self._hidden: dict[tuple[str, int, str], int] = {}
        self._passed: dict[tuple[int, int], tuple[CodeType, list[_Passed]]] = {}
        """By the code's address and the instruction; the code is kept, so that its address stays its own."""
        self._events = 0

    def start(self) -> None:
        """In this thread; a profiler of the program's own goes first."""
        if sys.getprofile() is None:
            sys.setprofile(self._seen)

    def stop(self) -> None:
        if sys.getprofile() == self._seen:
            sys.setprofile(None)

    def facts(self) -> list[ProfiledFact]:
        many = sorted(
            ((count, place) for place, count in self._calls.items() if count >= MANY_CALLS), reverse=True
        )
        found: list[ProfiledFact] = [
            _fact("many-calls", path, line, count, "") for count, (path, line) in many[:MOST_FACTS]
        ]
        for (path, line, words), count in list(self._hidden.items())[:MOST_FACTS]:
            found.append(_fact("hidden-sync", path, line, count, words))
        return found

    def _seen(self, frame: FrameType, event: str, argument: Any) -> None:
        if event != "c_call" or not is_users_code(frame.f_code):
            return
        self._events += 1
        if self._events > MOST_EVENTS:
            self.stop()
            return
        if not _is_torchs(argument):
            return
        key = frame.f_code.co_filename, frame.f_lineno
        self._calls[key] = self._calls.get(key, 0) + 1
        for keyword, variable in self._passed_at(frame, argument.__name__):
            value = frame.f_locals.get(variable, frame.f_globals.get(variable))
            if isinstance(value, sys.modules["torch"].Tensor):
                words = f"{argument.__name__}(…, {keyword}={variable})"
                call = (*key, words)
                self._hidden[call] = self._hidden.get(call, 0) + 1

    def _passed_at(self, frame: FrameType, name: str) -> list[_Passed]:
        key = id(frame.f_code), frame.f_lasti
        known = self._passed.get(key)
        if known is None:
            known = self._passed[key] = frame.f_code, _numbers_passed(frame, name)
        return known[1]


def _is_torchs(function: Any) -> bool:
    owner = getattr(function, "__self__", None)
    torch: Any = sys.modules.get("torch")
    if torch is None:
        return False
    kind = owner if isinstance(owner, type) else type(owner)
    return isinstance(owner, torch.Tensor) or str(getattr(kind, "__module__", "")).startswith("torch")


def _numbers_passed(frame: FrameType, name: str) -> list[_Passed]:
    """The variables in the call of this name on the line, where torch wants numbers."""
    line = linecache.getline(frame.f_code.co_filename, frame.f_lineno, frame.f_globals).strip()
    try:
        tree = ast.parse(line)
    except (SyntaxError, ValueError):
        return []
    found = [
        _Passed(keyword.arg, keyword.value.id)
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and _called(call) == name
        for keyword in call.keywords
        if keyword.arg is not None and isinstance(keyword.value, ast.Name)
    ]
    wanted = _number_names(name) if found else frozenset()
    return [passed for passed in found if passed.keyword in wanted]


def _called(call: ast.Call) -> str:
    function = call.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _number_names(name: str) -> frozenset[str]:
    schemas = sys.modules["torch"]._C._jit_get_schemas_for_operator(f"aten::{name}")
    return frozenset(
        argument.name
        for schema in schemas
        for argument in schema.arguments
        if str(argument.type).removeprefix("Optional[").removesuffix("]") in NUMBERS
    )


def _fact(kind: Any, path: str, line: int, count: float, words: str) -> ProfiledFact:
    text = text_of(path, line)
    return {"kind": kind, "path": path, "line": line, "text": text, "count": count, "words": words}
