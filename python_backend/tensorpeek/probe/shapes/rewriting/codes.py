"""Which code of a rewritten file is which of the file as it is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from types import CodeType

Key = tuple[str, int]


class Codes:
    """The functions of a file, each with its own code and the rewritten one, still with placeholders."""

    def __init__(self, own: CodeType, rewritten: CodeType) -> None:
        """Both are of the whole file."""
        self._pairs: dict[Key, list[tuple[CodeType, CodeType]]] = defaultdict(list)
        for pair in paired(own, rewritten):
            self._pairs[key_of(pair[0])].append(pair)

    def of(self, own: CodeType) -> tuple[CodeType, CodeType] | None:
        """Of a living function's code; None where it is not in the file as it was read.

        The file may have been edited since it was imported, or something has rewritten it on the way.
        """
        pairs = [pair for pair in self._pairs.get(key_of(own), ()) if pair[0] == own]
        if len(pairs) > 1:
            # Lambdas of one line.
            pairs = [pair for pair in pairs if _positions(pair[0]) == _positions(own)]
        return pairs[0] if len(pairs) == 1 else None


def paired(own: CodeType, other: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """What the two contain, at any depth; a code is in the same place of both."""
    waiting: dict[Key, list[CodeType]] = defaultdict(list)
    for inner in _inner(own):
        waiting[key_of(inner)].append(inner)
    for inner in _inner(other):
        known = waiting[key_of(inner)]
        if known:
            # Two lambdas of a line that are the same were one constant up to Python 3.11.
            match = known.pop(0) if len(known) > 1 else known[0]
            yield match, inner
            yield from paired(match, inner)


def key_of(code: CodeType) -> Key:
    return code.co_name, code.co_firstlineno


def _inner(code: CodeType) -> list[CodeType]:
    return [constant for constant in code.co_consts if isinstance(constant, CodeType)]


def _positions(code: CodeType) -> list[object]:
    told = getattr(code, "co_positions", None)
    return list(told()) if told is not None else []
