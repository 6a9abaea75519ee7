"""Short texts of names in a paused frame, for the ends of the lines that use them."""

from __future__ import annotations

import types
from contextlib import suppress
from typing import Any

from tensorpeek.probe import raw, reach
from tensorpeek.probe.budget import Deadline
from tensorpeek.probe.kinds.container import ContainerKind
from tensorpeek.probe.kinds.health import HealthScan, badness
from tensorpeek.probe.kinds.ndarray import array_facts, plain
from tensorpeek.probe.shorthand import shorthand
from tensorpeek.probe.statistics import scan_array, scan_tensor
from tensorpeek.probe.statistics.tensor_scan import AnyScan
from tensorpeek.probe.tensors.facts import TensorFacts, tensor_facts
from tensorpeek.probe.tensors.line import alarm

LITERALS = (bool, int, float, complex, str, type(None))
LONGEST = 32
"""Characters of a container: a line has room for more than one value."""


class Glimpse:
    """One value on its way to a text: first its words, then, if there is time, its alarm."""

    def __init__(self, words: str, scan: AnyScan | HealthScan | None = None) -> None:
        self.words = words
        self.scan = scan

    @property
    def alarm(self) -> str:
        """What is wrong by what was read so far, empty if nothing is known to be."""
        return ""

    @property
    def cost(self) -> int:
        return 0 if self.scan is None else self.scan.cost

    @property
    def text(self) -> str:
        return f"{self.alarm} {self.words}".strip()


class Numbers(Glimpse):
    """A tensor or array: `NaN 3 f32[64, 10]`."""

    def __init__(self, words: str, scan: AnyScan | None, facts: TensorFacts) -> None:
        super().__init__(words.replace(",", ", "), scan)
        self._facts = facts
        self._scan = scan

    @property
    def alarm(self) -> str:
        """Of one number, the number itself says it; of a part, only what no other part can take back."""
        if self._scan is None:
            return ""
        known = self._scan.statistics
        if not known.seen or known.count == 1 or (badness(known) == (0, 0) and not known.exact):
            return ""
        return alarm(self._facts, known)


class Contents(Glimpse):
    """A container: the worst of what is in it, then its beginning."""

    def __init__(self, words: str, scan: HealthScan | None) -> None:
        super().__init__(words if len(words) <= LONGEST else words[: LONGEST - 1] + "…", scan)
        self._scan = scan

    @property
    def alarm(self) -> str:
        worst = None if self._scan is None else self._scan.worst
        return "" if worst is None else worst.alarm


NOTHING = Glimpse("")
_containers = ContainerKind()


def frame_lines(frame: types.FrameType, expressions: list[str], deadline: Deadline) -> list[str]:
    """One text per dotted name, empty where there is nothing to show. Runs no property and no call.

    The smallest values are read first, so that a big one takes no alarm away from the others.
    """
    local, global_ = frame.f_locals, frame.f_globals
    glimpses = dict.fromkeys(expressions, NOTHING)
    for expression in glimpses:
        with suppress(Exception):  # a hostile value has no text, the others keep theirs
            glimpses[expression] = glimpse_of(resolve(expression, local, global_))
    for glimpse in sorted(glimpses.values(), key=lambda glimpse: glimpse.cost):
        if deadline.expired:
            break
        if glimpse.scan is not None:
            with suppress(Exception):
                glimpse.scan.advance(deadline)
    return [glimpses[expression].text for expression in expressions]


def resolve(expression: str, local: Any, global_: Any) -> Any:
    """The value of a dotted name by look-ups alone, MISSING where that does not lead to it."""
    first, *rest = expression.split(".")
    value = local[first] if first in local else global_.get(first, raw.MISSING)
    for name in rest:
        if value is raw.MISSING:
            break
        value = raw.attribute(value, name)
    return value


def glimpse_of(value: Any) -> Glimpse:
    """What can be said of the value before anything of it is read."""
    cls = raw.class_of(value)
    if raw.is_a(cls, "torch.Tensor"):
        return Numbers(shorthand(value), scan_tensor(value), tensor_facts(value))
    if raw.is_a(cls, "numpy.ndarray"):
        array = plain(value)
        return Numbers(shorthand(value), scan_array(array), array_facts(value, array))
    if reach.is_container(cls):
        return Contents(shorthand(value), _containers.scan(value))
    if raw.exactly(value, *LITERALS):
        return Glimpse(shorthand(value))
    return NOTHING
