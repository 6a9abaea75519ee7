"""One watched variable: what it was, and whether it is still that."""

from __future__ import annotations

import weakref
from types import FrameType, SimpleNamespace
from typing import Any, Callable, NamedTuple

from tensorpeek.contract.messages import Watch as Given
from tensorpeek.probe import raw
from tensorpeek.probe.hit_counts import hit_condition
from tensorpeek.probe.lines.line import Line
from tensorpeek.probe.lines.summary import summary
from tensorpeek.probe.watches.names import MISSING, Name

TENSOR = "torch.Tensor"
COMPARED = (int, float, bool, str, bytes, complex, type(None))
"""Values that are the same when they are equal."""
NO_VERSION = -1


class Change(NamedTuple):
    text: str
    """What happened, as in `x was written in place`."""
    before: str
    after: str
    value: Any


class Watch:
    """Follows a name, and the tensor under it. Keeps no tensor alive."""

    def __init__(self, name: Name) -> None:
        self.name = name
        self._tensor: weakref.ref[Any] | None = None
        self._version = NO_VERSION
        self._value: Any = MISSING
        """What is no tensor, where it can be compared, else its identity."""
        self._line = ""
        self._is_known = False
        self._line_of: Line | None = None

    def condition(self, given: Given, report: Callable[[str], None]) -> None:
        told: Callable[[str], None] = lambda text: report(f"{self.name.text}: {text}")  # noqa: E731
        self._line_of = Line(given["condition"], hit_condition(given["hitCondition"]), "", told)

    def begin(self, frame: FrameType) -> None:
        """Whatever it is now is not a change."""
        try:
            self._remember(self.name.read(frame))
        except LookupError:
            tensor = self._alive()
            if tensor is not None:
                self._remember(tensor)

    def entered(self, frame: FrameType) -> None:
        if self.name.entered(frame):
            self._is_known = False

    def change(self, frame: FrameType) -> Change | None:
        """What has changed since the last time; asked after every line, so it is quick when nothing has."""
        tensor = self._alive()
        if tensor is not None and self._version != NO_VERSION and tensor._version != self._version:
            try:
                value = self.name.read(frame)
            except LookupError:
                value = tensor
            return self._changed("written in place" if value is tensor else "", value)
        try:
            value = self.name.read(frame)
        except LookupError:
            return None
        if not self._is_known:
            if value is not MISSING:
                self._remember(value)
            return None
        return None if self._is_same(value, tensor) else self._changed("", value)

    def holds(self, value: Any, frame: FrameType) -> bool:
        """Whether the condition and hit count let the change stop; the condition sees it as `value`."""
        if self._line_of is None:
            return True
        names = {**frame.f_locals, "value": value}
        return self._line_of.holds(SimpleNamespace(f_globals=frame.f_globals, f_locals=names))

    def _alive(self) -> Any:
        return None if self._tensor is None else self._tensor()

    def _is_same(self, value: Any, tensor: Any) -> bool:
        if self._tensor is not None:
            return value is tensor and tensor is not None
        if raw.exactly(value, *COMPARED):
            return same(value, self._value)
        return id(value) == self._value

    def _changed(self, how: str, value: Any) -> Change | None:
        before = self._line
        self._remember(value)
        if not how:
            how = "deleted" if value is MISSING else "given another value"
        return Change(f"{self.name.text} was {how}", before, self._line, value)

    def _remember(self, value: Any) -> None:
        self._is_known = True
        self._tensor, self._version = None, NO_VERSION
        if raw.is_a(type(value), TENSOR):
            self._tensor, self._version = weakref.ref(value), version_of(value)
            self._value = MISSING
        else:
            self._value = value if raw.exactly(value, *COMPARED) else id(value)
        self._line = "nothing" if value is MISSING else summary(value)


def same(value: Any, other: Any) -> bool:
    return type(value) is type(other) and (value == other or value != value)


def version_of(tensor: Any) -> int:
    """How often a tensor was written in place; NO_VERSION for those that do not count it."""
    try:
        return int(tensor._version)
    except (RuntimeError, AttributeError):  # inference tensors, subclasses
        return NO_VERSION
