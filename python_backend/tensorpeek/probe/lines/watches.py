"""The functions of `tp` that remember: one memory per call in the text, and per turn of a loop in it.

Spikes and plateaus are shown the value of every hit, whatever else the condition says.
"""

from __future__ import annotations

from typing import Any, Generic, TypeVar

from tensorpeek.catalogue.functions import MOST_PLATEAU, MOST_SPIKE
from tensorpeek.probe.lines import measures
from tensorpeek.probe.lines.found import Unusable
from tensorpeek.probe.lines.hits import Hits, Reason
from tensorpeek.probe.lines.reading import number
from tensorpeek.probe.lines.said import number as text_of
from tensorpeek.probe.lines.said import title
from tensorpeek.probe.training.series import Plateau, PlateauFound, Spike, SpikeFound

Memory = TypeVar("Memory")


class Watch(Generic[Memory]):
    """One call in the text. In a loop of the text, the n-th turn of each hit has the n-th memory."""

    sees_everything = True
    """Whether it is shown the value of a hit also where Python does not get to the call."""

    def __init__(self, name: str, hits: Hits) -> None:
        self.name = name
        """The first argument as it is written."""
        self.hits = hits
        self._memories: list[Memory] = []
        self._hit = -1
        self._turn = 0

    @property
    def was_called(self) -> bool:
        """In the present hit."""
        return self._hit == self.hits.count

    def _memory(self) -> int:
        """The index of the memory for this turn."""
        if self.hits.count != self._hit:
            self._hit, self._turn = self.hits.count, 0
        self._turn += 1
        return self._turn - 1


def _check(*settings: Any) -> None:
    """What is computed is seen only here; a limit of NaN would hold for every value."""
    for setting in settings:
        if setting != setting:
            raise Unusable("a setting is NaN")


class SpikeWatch(Watch[Spike]):
    def __call__(self, x: Any, factor: float = 8, window: float = 50, warmup: float = 20) -> bool:
        value, turn = number(x), self._memory()
        if turn == len(self._memories):
            _check(factor, window, warmup)
            self._memories.append(Spike(factor, int(min(window, MOST_SPIKE)), warmup))
        found = self._memories[turn].add(value)
        if found is not None:
            self.hits.say(lambda: self._reason(found))
        return found is not None

    def _reason(self, found: SpikeFound) -> Reason:
        shown, usual = text_of(found.value), text_of(found.usual)
        return (
            title(self.name, f"{shown}, usual {usual}"),
            f"{self.name} is {shown}: {found.score:.3g} spreads above the usual {usual}, "
            f"the limit is {text_of(found.limit)}",
        )


class PlateauWatch(Watch[Plateau]):
    def __call__(self, x: Any, window: float = 1000, fall: float = 0.001) -> bool:
        value, turn = number(x), self._memory()
        if turn == len(self._memories):
            _check(window, fall)
            self._memories.append(Plateau(int(min(window, MOST_PLATEAU)), fall))
        found = self._memories[turn].add(value)
        if found is not None:
            self.hits.say(lambda: self._reason(value, found))
        return found is not None

    def _reason(self, value: float, found: PlateauFound) -> Reason:
        shown = text_of(value)
        return (
            title(self.name, f"stays at {shown}"),
            f"{self.name} is {shown} and has not fallen below {text_of(found.best)} in {found.steps} values",
        )


class ChangedWatch(Watch["tuple[Any, ...]"]):
    sees_everything = False  # it reads all of the value, which the rest of the condition may want to save

    def __call__(self, x: Any) -> bool:
        mark, turn = measures.fingerprint(x), self._memory()
        if turn == len(self._memories):
            self._memories.append(mark)
            return False
        before, self._memories[turn] = self._memories[turn], mark
        if before != mark:
            self.hits.say(
                lambda: (title(self.name, "changed"), f"{self.name} is not what it was the last time")
            )
        return before != mark
