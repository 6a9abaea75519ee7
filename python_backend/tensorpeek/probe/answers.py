"""What is said of a value: at once, within a budget, or exactly when the user asks."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Callable

from tensorpeek.contract.messages import Presentation, RefineResult
from tensorpeek.probe import pydevd_access
from tensorpeek.probe.budget import Deadline
from tensorpeek.probe.kinds.kind import Child, Kind, Work
from tensorpeek.probe.kinds.registry import kind_of
from tensorpeek.probe.kinds.stats import Stats
from tensorpeek.probe.presentation import Group, Text, present
from tensorpeek.probe.raw import class_name
from tensorpeek.probe.reprs import Reprs

QUICK_COST = 16_384
"""Elements that are read at once, without a second request."""
PRESENTING_MS = 0.05
"""What making one line takes; an answer with many values sets it aside from its budget, at most half."""
LONGEST_TEXT = 65_536
NUMBERS_IN_LINE = ("tensor", "array")
"""Kinds whose line is not whole until every element was read. Others only gain an alarm."""
LONGEST_BLOCK_S = 1.0
"""How long the program waits, when it goes on, for what is being read; only a hanging device takes longer."""


class PauseDeadline(Deadline):
    """Also expires when the program goes on, because the values may then be freed under our hands."""

    __slots__ = ("_is_over",)

    def __init__(self, deadline: Deadline, is_over: Callable[[], bool]) -> None:
        super().__init__(deadline._end)
        self._is_over = is_over

    @property
    def expired(self) -> bool:
        return self._is_over() or super().expired


class Progress:
    """How far the work on one value has come. Holds the value, so that nobody else gets its identity."""

    def __init__(self, value: Any, kind: Kind, work: Work) -> None:
        self.value = value
        self.kind = kind
        self.work = work
        self.total = work.cost
        self.done = False
        self.stats: Stats | None = None
        """The row of that name, which goes on with this work and keeps its own."""

    def advance(self, deadline: Deadline) -> None:
        """Work that fails is over; the line says what was learnt before."""
        try:
            self.done = self.done or self.work.advance(deadline)
        except BaseException:  # noqa: BLE001 - the value may be freed or hostile
            self.done = True

    @property
    def fraction(self) -> float:
        return 1.0 if self.done or not self.total else max(0.0, 1.0 - self.work.cost / self.total)

    def presentation(self) -> Presentation | None:
        presentation = self.kind.present(self.value, self.work)
        if presentation is not None and not self.done and self.kind.presentation_kind in NUMBERS_IN_LINE:
            presentation["partial"] = True
        return presentation


class Answers:
    """One per process. What it keeps between requests belongs to the pause and is dropped by `forget`.

    What was read of a value stays with it, finished or not, until the value may have changed. What is quick
    to read is read anew each time.
    """

    def __init__(
        self,
        find_value: Callable[[int], Any] = pydevd_access.find_value,
        reprs: Reprs | None = None,
        deadline_after: Callable[[float], Deadline] = Deadline.after,
    ) -> None:
        self.is_configured = False
        self.value_budget_ms = 20.0
        self.find_value = find_value
        self._reprs = reprs or Reprs()
        self._deadline_after = deadline_after
        self._pauses = 0
        self._begun: dict[int, Progress] = {}
        self._lock = threading.RLock()
        """Held by whoever reads memory, so that the program does not go on and free it meanwhile."""

    def forget(self) -> None:
        """The pause is over: nothing of the user's is read any more, or kept alive by us."""
        self._pauses += 1
        self._reprs.forget()
        is_free = self._lock.acquire(timeout=LONGEST_BLOCK_S)
        self._begun = {}
        if is_free:
            self._lock.release()

    def changed(self) -> None:
        """Code of the user's has run in this pause: what was read before may no longer be so."""
        with self._lock:
            self._begun = {}

    def deadlines(self) -> Callable[[float], PauseDeadline]:
        """What makes deadlines out of milliseconds; all of them come at the latest when this pause ends."""
        pause = self._pauses
        return lambda milliseconds: PauseDeadline(
            self._deadline_after(milliseconds), lambda: self._pauses != pause
        )

    def deadline(self, milliseconds: float) -> PauseDeadline:
        return self.deadlines()(milliseconds)

    @contextmanager
    def reading(self) -> Generator[Callable[[float], PauseDeadline]]:
        """Keeps the program from going on while its values are read; gives this pause's `deadlines`."""
        deadlines = self.deadlines()
        with self._lock:
            yield deadlines

    def first(self, value: Any) -> Presentation | None:
        """The line at once: exact where that is quick, else `pending`. None leaves it to pydevd.

        Never raises.
        """
        if type(value) is Text:
            return present(str(value), "other", style=value.style)
        if type(value) is Group:
            return present(value.label, "other", style="faint")
        try:
            kind = kind_of(type(value))
            presentation = None if kind is None else self._first_of_kind(value, kind)
            return clipped(presentation or self._reprs.now(value))
        except BaseException as error:  # noqa: BLE001 - whatever a hostile value raises becomes its text
            return failed(value, error)

    def children(self, value: Any) -> pydevd_access.Entries:
        """The rows under the value, pydevd's own where the kind has none. Never raises."""
        try:
            if type(value) is Group:
                rows: list[Child] | None = value.make_children()
            else:
                kind = kind_of(type(value))
                rows = None if kind is None else kind.children(value)
            if rows is None:
                return pydevd_access.plain_children(value)
            return [(row.name, self._with_what_was_read(value, row.value), row.evaluate) for row in rows]
        except BaseException as error:  # noqa: BLE001 - as above
            return [("error", Text(failed(value, error)["text"]), None)]

    def _with_what_was_read(self, value: Any, child: object) -> object:
        """`stats` say what the line says, and are the same each time they are shown."""
        begun = self._begun.get(id(value))
        if begun is None or type(child) is not Stats:
            return child
        if begun.stats is None:
            begun.stats = child
            child.go_on_with(begun.work)
        return begun.stats

    def summarize(self, references: list[int], budget_ms: float) -> list[Presentation]:
        """The lines of pending values, within the budget: the smallest first, each with its fair share.

        A value that is gone by now gets an empty text, which says nothing new.
        """
        with self.reading() as deadline_after:
            deadline = deadline_after(max(budget_ms / 2, budget_ms - PRESENTING_MS * len(references)))
            values = [self._find(reference) for reference in references]
            progresses = [self._progress(value) for value in values]
            waiting = sorted({p for p in progresses if p is not None}, key=lambda each: each.work.cost)
            for served, progress in enumerate(waiting):
                if deadline.expired:
                    break
                share = deadline.remaining_ms / (len(waiting) - served)
                progress.advance(deadline_after(min(share, self.value_budget_ms)))
            return [self._so_far(value, progress) for value, progress in zip(values, progresses)]

    def refine(self, reference: int, slice_ms: float) -> RefineResult:
        """One slice of the work that makes the value exact. Raises Gone."""
        with self.reading() as deadline_after:
            value = self.find_value(reference)
            progress = self._progress(value)
            if progress is None:
                return self._refine_repr(value, slice_ms)
            progress.advance(deadline_after(slice_ms))
            presentation = self._so_far(value, progress)
            return {"done": progress.done, "fraction": progress.fraction, "presentation": presentation}

    def _first_of_kind(self, value: Any, kind: Kind) -> Presentation | None:
        progress = self._progress(value)
        if progress is None:
            return kind.present(value, None)
        if progress.done or progress.work.cost <= QUICK_COST or not self.is_configured:
            with self.reading() as deadline_after:
                progress.advance(deadline_after(self.value_budget_ms))
            if progress.total <= QUICK_COST:
                self._begun.pop(id(value), None)
            return self._so_far(value, progress)
        presentation = kind.present(
            value, None if kind.presentation_kind in NUMBERS_IN_LINE else progress.work
        )
        if presentation is not None:
            presentation["pending"] = True
        return presentation

    def _progress(self, value: Any) -> Progress | None:
        """The work begun on the value, or new work; None where its line needs none."""
        begun = self._begun.get(id(value))
        if begun is not None:
            return begun
        kind = kind_of(type(value))
        try:
            work = None if kind is None else kind.scan(value)
        except BaseException:  # noqa: BLE001 - then the head has to do
            work = None
        if kind is None or work is None:
            return None
        return self._begun.setdefault(id(value), Progress(value, kind, work))

    def _so_far(self, value: Any, progress: Progress | None) -> Presentation:
        if progress is None:
            return self.first(value) or present("", "other")
        try:
            presentation = progress.presentation() or self._reprs.now(value)
            return clipped(presentation) or present("", "other")
        except BaseException as error:  # noqa: BLE001 - as above
            return failed(value, error)

    def _refine_repr(self, value: Any, slice_ms: float) -> RefineResult:
        text = self._reprs.refine(value, slice_ms / 1000)
        if text is None:
            waiting = self._reprs.now(value) or present("", "other")
            return {"done": False, "fraction": 0.0, "presentation": waiting}
        return {"done": True, "fraction": 1.0, "presentation": text}

    def _find(self, reference: int) -> Any:
        try:
            return self.find_value(reference)
        except pydevd_access.Gone:
            return Text("")


def failed(value: Any, error: BaseException) -> Presentation:
    return present(f"{class_name(type(value))} <no summary: {class_name(type(error))}>", "other")


def clipped(presentation: Presentation | None) -> Presentation | None:
    if presentation is not None and len(presentation["text"]) > LONGEST_TEXT:
        presentation["text"] = presentation["text"][:LONGEST_TEXT] + "…"
    return presentation
