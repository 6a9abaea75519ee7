"""Makes what stands behind each call of `tp` in a condition; `catalogue.functions` says what they are."""

from __future__ import annotations

from typing import Any, Callable

from tensorpeek.catalogue.functions import BY_NAME
from tensorpeek.probe.lines import clock, measures
from tensorpeek.probe.lines.hits import Hits
from tensorpeek.probe.lines.reading import mean
from tensorpeek.probe.lines.said import number as text_of
from tensorpeek.probe.lines.said import title
from tensorpeek.probe.lines.summary import summary
from tensorpeek.probe.lines.watches import ChangedWatch, PlateauWatch, SpikeWatch

Function = Callable[..., Any]

WATCHES: dict[str, Callable[[str, Hits], Function]] = {
    "spike": SpikeWatch,
    "plateau": PlateauWatch,
    "changed": ChangedWatch,
}
CLOCKED = ("step", "epoch", "after_step")


def function(name: str, argument: str, hits: Hits) -> Function:
    """What `tp.<name>` is at one place of a text; `argument` is the first one as it is written."""
    if name in WATCHES:
        return WATCHES[name](argument, hits)
    if name in CLOCKED:
        clock.run()
    plain: Function = getattr(Forgetful(argument, hits), name)
    return telling(name, plain, argument, hits) if BY_NAME[name].result == "number" else plain


def telling(name: str, measure: Function, argument: str, hits: Hits) -> Function:
    """A number that says what it is, should the condition hold."""
    words = name.replace("_", " ")

    def tell(*values: Any, **named: Any) -> Any:
        value = measure(*values, **named)
        of = f" of {argument}" if argument else ""
        hits.say(
            lambda: (
                title(f"{words} {argument}".strip(), text_of(value)),
                f"the {words}{of} is {text_of(value)}",
            )
        )
        return value

    return tell


class Forgetful:
    """The functions that remember nothing."""

    def __init__(self, argument: str, hits: Hits) -> None:
        self._argument = argument
        self._hits = hits

    def nonfinite(self, *values: Any) -> bool:
        holds = measures.nonfinite(*values)
        if holds:
            what = self._argument
            self._hits.say(lambda: (title(what, "has NaN or Inf"), f"there is NaN or Inf in {what}"))
        return holds

    def outside(self, x: Any, lo: float, hi: float) -> bool:
        found = measures.outside(x, lo, hi)
        if found is not None:
            low, high, least, most = (text_of(bound) for bound in (*found, lo, hi))
            self._hits.say(
                lambda: (
                    title(self._argument, f"{low}…{high}"),
                    f"{self._argument} goes from {low} to {high}, outside {least} to {most}",
                )
            )
        return found is not None

    def dead(self, x: Any, share: float = 0.9) -> bool:
        found = measures.dead_share(x)
        if found >= share:
            text = f"{100 * found:.3g} %"
            what = self._argument
            self._hits.say(
                lambda: (
                    title(what, f"{text} dead"),
                    f"{text} of the units of {what} give one value for the whole batch",
                )
            )
        return found >= share

    def every(self, n: float) -> bool:
        return self._hits.count % max(int(n), 1) == 0

    def after_step(self, n: float) -> bool:
        return self.step() >= n

    def shape(self, x: Any) -> Any:
        found, what = measures.shape(x), self._argument
        self._hits.say(lambda: (title(what, str(found)), f"the shape of {what} is {found}"))
        return found

    def line(self, x: Any) -> str:
        return summary(x)

    def norm(self, *values: Any) -> float:
        return measures.norm(*values)

    def grad_norm(self, *values: Any) -> float:
        return measures.grad_norm(*values)

    def mean(self, x: Any) -> float:
        return mean(x)

    def min(self, x: Any) -> float:
        return measures.bounds(x)[0]

    def max(self, x: Any) -> float:
        return measures.bounds(x)[1]

    def step(self) -> int:
        return clock.step() if clock.is_running() else self._hits.count - 1

    def epoch(self) -> int:
        return clock.epoch()

    def rank(self) -> int:
        return clock.rank()
