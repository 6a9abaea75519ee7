"""Where a variable lives: its container and its name there, to be read again at each line."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import Any, Callable, cast

from tensorpeek.probe import raw
from tensorpeek.probe.watches.running import running_frames

MISSING: Any = raw.MISSING
"""What a name gives that stands for nothing (yet, or any more)."""


class Name:
    """A name that can be read; the code of the user's objects never runs."""

    text = ""

    def read(self, frame: FrameType) -> Any:
        """The value now, MISSING where there is none. Raises LookupError where this frame can't tell."""
        raise LookupError(self.text)

    def entered(self, frame: FrameType) -> bool:
        """A function begins; returns whether the name stands for a variable of its own from now on."""
        return False

    def left(self, frame: FrameType) -> None:
        """A function ends."""


class Local(Name):
    """A local name of a function: in one of its calls after the other, as seen from the call itself."""

    def __init__(self, frame: FrameType, name: str) -> None:
        self._code: CodeType = frame.f_code
        self._call = id(frame)
        """0 when it is over. A call within the call has names of its own, which are not followed."""
        self.text = name

    def read(self, frame: FrameType) -> Any:
        if id(frame) != self._call:
            raise LookupError(self.text)
        return frame.f_locals.get(self.text, MISSING)

    def entered(self, frame: FrameType) -> bool:
        if frame.f_code is not self._code or (self._call != id(frame) and self._is_running()):
            return False
        self._call = id(frame)
        return True

    def _is_running(self) -> bool:
        """Whether the call goes on. Its end is not told where pydevd traces it, as after a pause in it."""
        return self._call != 0 and any(
            id(frame) == self._call and frame.f_code is self._code for frame in running_frames()
        )

    def left(self, frame: FrameType) -> None:
        if id(frame) == self._call:
            self._call = 0


class Item(Name):
    """A global name, or an item of a dict or list."""

    def __init__(self, container: Any, key: Any, text: str) -> None:
        self._container = container
        self._key = key
        self.text = text

    def read(self, frame: FrameType) -> Any:
        try:
            return self._container[self._key]
        except (LookupError, TypeError):
            return MISSING


class Attribute(Name):
    """An attribute of an object that it does not keep alive where that can be helped."""

    def __init__(self, owner: Any, name: str) -> None:
        try:
            self._owner: Callable[[], Any] = weakref.ref(owner)
        except TypeError:
            self._owner = lambda: owner
        self.text = name

    def read(self, frame: FrameType) -> Any:
        owner = self._owner()
        return MISSING if owner is None else raw.attribute(owner, self.text)


def find_name(container: Any, name: str) -> Name | None:
    """The variable of this name in a frame, a dict, a sequence or an object; None where it is computed."""
    if isinstance(container, FrameType):
        return in_frame(container, name)
    kind = type(container)
    if kind in (list, tuple) and name.isdigit() and int(name) < len(container):
        return None if kind is tuple else Item(container, int(name), f"[{name}]")
    if raw.derives(container, dict) and dict.__len__(container) > 0:
        key = next(keys_named(cast("dict[Any, Any]", container), name), MISSING)
        return None if key is MISSING else Item(container, key, f"[{name}]")
    return None if raw.attribute(container, name) is MISSING else Attribute(container, name)


def in_frame(frame: FrameType, name: str) -> Name | None:
    local_names = frame.f_locals
    if frame.f_code.co_name != "<module>" and name in local_names:
        return Local(frame, name)
    if name in frame.f_globals:
        return Item(frame.f_globals, name, name)
    return Item(local_names, name, name) if name in local_names else None


def keys_named(container: dict[Any, Any], name: str) -> Iterator[Any]:
    """The keys that the Variables view shows under this name."""
    if dict.__contains__(container, name):
        yield name
    for key in dict.keys(container):
        if type(key) in (str, int, bool, float, bytes) and repr(key) == name:
            yield key
