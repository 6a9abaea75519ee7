"""A condition that is watched for: when it may be told of a moment, and when it may speak."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorpeek.probe.conditions.condition import Condition

if TYPE_CHECKING:
    from tensorpeek.probe.training.overhead import Budget
    from tensorpeek.probe.training.report import Report

ALWAYS = ("failure", "end", "skip", "fetched", "evaluation")
"""Moments that are too rare to be sampled, or whose conditions keep to a number of looks by themselves."""


class Active:
    def __init__(self, condition: Condition, due: float) -> None:
        self.condition = condition
        self.due = due
        """The time from which it may be told of what it samples."""
        self.is_due = False
        """Whether it is told of everything in this step."""
        self.cost = 0.0
        """Seconds that it has taken in this step."""
        self.left_out = False
        self.silent_kinds: set[str] = set()
        """Moments that it may not report until it once had nothing to say: it has no cool-down in steps."""
        self._muted_until = 0
        self._slow: set[str] = set()
        """Moments whose method proved too slow for every step."""
        self._times: dict[str, tuple[int, float]] = {}
        """How often each method was timed, and its shortest time in seconds."""

    @property
    def id(self) -> str:
        return self.condition.info.id

    @property
    def samples(self) -> bool:
        return bool(self.condition.samples or self._slow or self.wants("on_module"))

    def wants(self, method: str) -> bool:
        """Whether the condition has the method."""
        return getattr(type(self.condition), method) is not getattr(Condition, method)

    def wants_always(self, kind: str, method: str) -> bool:
        """Whether it is to be told in each step."""
        is_sampled = kind == "module" or method in self.condition.samples or kind in self._slow
        return self.wants(method) and (kind in ALWAYS or not is_sampled)

    def took(self, kind: str, seconds: float) -> None:
        self.cost += seconds
        count, least = self._times.get(kind, (0, seconds))
        self._times[kind] = (count + 1, min(least, seconds))

    def least(self, kind: str) -> float:
        """The shortest time of the method for a kind of moment, in seconds; 0 while it was not timed."""
        return self._times.get(kind, (0, 0.0))[1]

    def find_slow(self, trials: int, budget: Budget, step_seconds: float) -> bool:
        """Notes the methods that have turned out to be too slow for each step. Returns whether some have."""
        before = len(self._slow)
        for kind, (count, least) in self._times.items():
            if count >= trials and step_seconds and budget.is_slow(least, step_seconds):
                self._slow.add(kind)
        return len(self._slow) > before

    def spoke(self, kind: str, step: int, report: Report | None, found: list[tuple[Active, Report]]) -> None:
        """Adds what it has reported to `found`, unless it is to be silent."""
        if report is None:
            if self.silent_kinds:
                self.silent_kinds.discard(kind)
        elif self.may_report(kind, step):
            self.reported(kind, step)
            found.append((self, report))

    def may_report(self, kind: str, step: int) -> bool:
        return step >= self._muted_until and kind not in self.silent_kinds

    def reported(self, kind: str, step: int) -> None:
        cooldown = self.condition.settings.get("cooldown")
        if cooldown is None:
            self.silent_kinds.add(kind)
        else:
            self._muted_until = step + 1 + int(cooldown)
