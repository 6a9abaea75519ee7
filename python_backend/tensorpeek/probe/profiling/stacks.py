"""What samples of the program's calls add up to: a bounded table of stacks, then lines and a tree."""

from __future__ import annotations

import dis
import linecache
import sys
from types import CodeType, FrameType
from typing import NamedTuple

from tensorpeek.contract.messages import ProfiledLine, ProfiledStacks, StackPlace
from tensorpeek.probe.training.places import is_users_code

DEEPEST = 200
"""Frames that are looked at from the innermost outwards."""
MOST_STACKS = 20_000
MOST_LINES = 200
MOST_NODES = 2000
LONGEST_TEXT = 160
_CALLS: frozenset[int] = frozenset(
    code
    for name, code in dis.opmap.items()
    if name.startswith(("CALL", "PRECALL")) and sys.version_info[:2] >= (3, 11)
)
"""From 3.11 on Python looks for signals behind a call of native code, at a jump back and at the beginning of
a function: a sample behind a call has interrupted native code, or what prepared its arguments."""


class Place:
    """A line of a function."""

    __slots__ = ("code", "line", "is_users")

    def __init__(self, code: CodeType, line: int, is_users: bool) -> None:
        self.code = code
        """Kept, so that its address stays its own."""
        self.line = line
        self.is_users = is_users


class Spot(NamedTuple):
    """An instruction."""

    place: Place
    is_call: bool


Stack = tuple[Place, ...]
"""Innermost first: the user's lines, and what they called of a library."""


class Stacks:
    def __init__(self) -> None:
        self.samples = 0
        self._spots: dict[tuple[int, int], Spot] = {}
        self._places: dict[tuple[int, int], Place] = {}
        self._stacks: dict[Stack, list[float]] = {}
        """Seconds in the training, those in native code, and those of the start-up."""

    def stack_of(self, frame: FrameType | None) -> Stack:
        """Of a frame that can't go on meanwhile. In any thread."""
        stack: list[Place] = []
        library: Place | None = None
        depth, spots = 0, self._spots
        while frame is not None and depth < DEEPEST:
            depth += 1
            spot = spots.get((id(frame.f_code), frame.f_lasti)) or self._spot(frame)
            place = spot.place
            if place.is_users:
                if library is not None:
                    stack.append(library)
                    library = None
                stack.append(place)
            else:
                library = place
            frame = frame.f_back
        return tuple(stack)

    def is_behind_call(self, frame: FrameType | None) -> bool:
        return frame is not None and self._spot(frame).is_call

    def add(self, stack: Stack, seconds: float, native: float, is_start_up: bool) -> None:
        """A sample that stands for so many seconds, so many of them in native code."""
        self.samples += 1
        sums = self._stacks.get(stack)
        if sums is None:
            if len(self._stacks) >= MOST_STACKS:
                stack = stack[-1:]
            sums = self._stacks.setdefault(stack, [0.0, 0.0, 0.0])
        if is_start_up:
            sums[2] += seconds
        else:
            sums[0] += seconds
            sums[1] += native

    def _spot(self, frame: FrameType) -> Spot:
        code = frame.f_code
        key = (id(code), frame.f_lasti)
        spot = self._spots.get(key)
        if spot is None:
            is_users = is_users_code(code)
            line = frame.f_lineno if is_users else None
            place = self._place(code, line or code.co_firstlineno, is_users)
            is_call = frame.f_lasti >= 0 and code.co_code[frame.f_lasti] in _CALLS
            spot = self._spots[key] = Spot(place, is_call)
        return spot

    def _place(self, code: CodeType, line: int, is_users: bool) -> Place:
        key = (id(code), line)
        place = self._places.get(key)
        # Two threads may come here at once, and both get the one that is kept.
        return place or self._places.setdefault(key, Place(code, line, is_users))

    # What they say

    def seconds(self, has_trained: bool) -> float:
        return sum(sums[0] if has_trained else sums[0] + sums[2] for sums in self._stacks.values())

    def lines(self, has_trained: bool) -> list[ProfiledLine]:
        """Where nothing was trained, all of the time is told as that of the program."""
        rows: dict[tuple[str, int], ProfiledLine] = {}
        for stack, (trained, native, start_up) in self._stacks.items():
            if not has_trained:
                trained, start_up = trained + start_up, 0.0
            seen: set[tuple[str, int]] = set()
            for place in stack:
                key = (place.code.co_filename, place.line)
                if not place.is_users or key in seen:
                    continue
                row = rows.setdefault(key, _line(place))
                if not seen:
                    row["self"] += trained
                    row["native"] += native
                row["total"] += trained
                row["startUp"] += start_up
                seen.add(key)
        ordered = sorted(rows.values(), key=lambda row: (-row["self"], -row["total"], -row["startUp"]))
        return [_finished(row) for row in ordered[:MOST_LINES]]

    def tree(self, has_trained: bool) -> ProfiledStacks:
        frames: list[StackPlace] = []
        frame_of: dict[Place, int] = {}
        nodes: dict[tuple[int, Place], int] = {}
        parents: list[int] = []
        frame: list[int] = []
        seconds: list[float] = []
        ordered = sorted(self._stacks.items(), key=lambda item: -item[1][0] - item[1][2])
        for stack, (trained, _, start_up) in ordered:
            own = trained if has_trained else trained + start_up
            node = -1
            if own <= 0:
                continue
            for place in reversed(stack):
                found = nodes.get((node, place))
                if found is None:
                    if len(parents) >= MOST_NODES:
                        break
                    found = nodes[node, place] = len(parents)
                    parents.append(node)
                    if place not in frame_of:
                        frame_of[place] = len(frames)
                        frames.append(_stack_place(place))
                    frame.append(frame_of[place])
                    seconds.append(0.0)
                node = found
            if node >= 0:
                seconds[node] += own
        return {
            "frames": frames,
            "parents": parents,
            "frame": frame,
            "seconds": [round(value, 4) for value in seconds],
        }


def text_of(path: str, line: int) -> str:
    return linecache.getline(path, line).strip()[:LONGEST_TEXT]


def _line(place: Place) -> ProfiledLine:
    return {
        "path": place.code.co_filename,
        "line": place.line,
        "function": _name(place.code),
        "text": "",
        "self": 0.0,
        "total": 0.0,
        "native": 0.0,
        "startUp": 0.0,
    }


def _finished(row: ProfiledLine) -> ProfiledLine:
    row["text"] = text_of(row["path"], row["line"])
    row["self"], row["total"] = round(row["self"], 4), round(row["total"], 4)
    row["native"], row["startUp"] = round(min(row["native"], row["self"]), 4), round(row["startUp"], 4)
    return row


def _stack_place(place: Place) -> StackPlace:
    return {
        "path": place.code.co_filename,
        "line": place.line,
        "function": _name(place.code),
        "isUsers": place.is_users,
    }


def _name(code: CodeType) -> str:
    return str(getattr(code, "co_qualname", code.co_name))[:LONGEST_TEXT]
