"""What a rule is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from tensorpeek.contract.messages import Profile, ProfileAdvice


class Rule(Protocol):
    """Judges the whole kind of a cost by the record, and is silent in doubt."""

    name: str
    """Stays, for those who look for it."""

    def look(self, profile: Profile) -> Iterable[ProfileAdvice]: ...
