"""Budgets, shares and what is kept between requests, with a clock that only the work moves."""

from __future__ import annotations

import gc
import threading
import weakref
from typing import Any

import pytest

from tensorpeek.probe import answers as answers_module
from tensorpeek.probe.answers import Answers
from tensorpeek.probe.budget import Deadline
from tensorpeek.probe.presentation import Group, Text, present
from tensorpeek.probe.pydevd_access import Gone
from tensorpeek.probe.reprs import Reprs


class Clock:
    def __init__(self) -> None:
        self.ms = 0.0

    def after(self, milliseconds: float) -> Deadline:
        return ClockDeadline(self, self.ms + milliseconds)


class ClockDeadline(Deadline):
    def __init__(self, clock: Clock, end: float) -> None:
        self.clock = clock
        self._end = end

    @property
    def expired(self) -> bool:
        return self.clock.ms >= self._end

    @property
    def remaining_ms(self) -> float:
        return max(0.0, self._end - self.clock.ms)


class Value:
    """Needs `cost` elements to be read, 1000 in a millisecond."""

    def __init__(self, cost: int, error: BaseException | None = None) -> None:
        self.cost = cost
        self.error = error


class Reading:
    def __init__(self, value: Value, clock: Clock) -> None:
        self.cost = value.cost
        self.read = 0
        self._error = value.error
        self._clock = clock

    def advance(self, deadline: Deadline) -> bool:
        if self._error is not None:
            raise self._error
        while self.cost and not deadline.expired:
            self.cost -= 1000
            self.read += 1000
            self._clock.ms += 1
        return not self.cost


class ValueKind:
    presentation_kind = "tensor"

    def __init__(self, clock: Clock) -> None:
        self.clock = clock

    def matches(self, cls: type) -> bool:
        return cls is Value

    def scan(self, value: Value) -> Reading | None:
        return Reading(value, self.clock) if value.cost else None

    def present(self, value: Value, scan: Reading | None) -> Any:
        return present(f"read {scan.read}" if scan is not None else "head", "tensor")

    def children(self, value: Value) -> None:
        return None


class PausedDeadline(answers_module.PauseDeadline):
    """As the real one, around a deadline of the test's clock."""

    def __init__(self, deadline: Deadline, is_over: Any) -> None:
        super().__init__(deadline, is_over)
        self._deadline = deadline

    @property
    def expired(self) -> bool:
        return self._is_over() or self._deadline.expired

    @property
    def remaining_ms(self) -> float:
        return self._deadline.remaining_ms


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def values() -> dict[int, Any]:
    """What the client's references lead to."""
    return {}


@pytest.fixture
def answers(clock, values, monkeypatch) -> Answers:
    kind = ValueKind(clock)
    monkeypatch.setattr(answers_module, "kind_of", lambda cls: kind if kind.matches(cls) else None)
    monkeypatch.setattr(answers_module, "PauseDeadline", PausedDeadline)

    def find(reference: int) -> Any:
        if reference not in values:
            raise Gone(reference)
        return values[reference]

    answers = Answers(find, Reprs(make_text=lambda value, tell: repr(value)), clock.after)
    answers.is_configured = True
    return answers


def test_small_values_are_read_at_once_and_big_ones_are_pending(answers, clock):
    assert answers.first(Value(10_000)) == {"text": "read 10000", "kind": "tensor"}
    assert answers.first(Value(100_000)) == {"text": "head", "kind": "tensor", "pending": True}
    assert clock.ms == 10


def test_without_an_adapter_big_values_get_their_budget_at_once(answers, clock):
    answers.is_configured = False
    assert answers.first(Value(100_000)) == {"text": "read 20000", "kind": "tensor", "partial": True}
    assert clock.ms == 20


def test_the_smallest_come_first_and_none_takes_more_than_its_share(answers, clock, values):
    values.update({1: Value(1_000_000), 2: Value(30_000), 3: Value(5_000), 4: Value(0)})
    texts = [line["text"] for line in answers.summarize([1, 2, 3, 4], 60)]
    assert texts == ["read 20000", "read 20000", "read 5000", "head"]
    assert clock.ms <= 60


def test_what_the_small_ones_leave_goes_to_the_big_ones(answers, clock, values):
    answers.value_budget_ms = 1000
    values.update({1: Value(1_000_000), 2: Value(2_000), 3: Value(2_000)})
    lines = answers.summarize([1, 2, 3], 60)
    assert lines[0] == {"text": "read 56000", "kind": "tensor", "partial": True}
    assert clock.ms == 60


def test_the_same_value_twice_is_read_once(answers, clock, values):
    values[1] = values[2] = Value(15_000)
    assert [line["text"] for line in answers.summarize([1, 2], 60)] == ["read 15000"] * 2
    assert clock.ms == 15


def test_a_value_that_is_gone_says_nothing_new(answers, values):
    values[1] = Value(1000)
    assert [line["text"] for line in answers.summarize([9, 1], 60)] == ["", "read 1000"]


def test_refining_goes_on_where_summarizing_stopped(answers, values):
    values[1] = Value(50_000)
    answers.summarize([1], 60)
    assert answers.refine(1, 10)["fraction"] == pytest.approx(0.6)
    last = answers.refine(1, 100)
    assert last == {"done": True, "fraction": 1.0, "presentation": {"text": "read 50000", "kind": "tensor"}}


def test_asking_anew_goes_on_with_what_was_read(answers, values):
    values[1] = Value(50_000)
    answers.summarize([1], 60)
    answers.first(values[1])
    assert answers.refine(1, 10)["fraction"] == pytest.approx(0.6)


def test_what_a_click_made_exact_stays_exact(answers, clock, values):
    values[1] = Value(50_000)
    answers.refine(1, 1000)
    at = clock.ms
    assert answers.first(values[1]) == {"text": "read 50000", "kind": "tensor"}
    assert answers.refine(1, 1000)["done"]
    assert clock.ms == at


def test_what_may_have_changed_is_read_anew(answers, values):
    values[1] = Value(50_000)
    answers.refine(1, 1000)
    answers.changed()
    assert answers.first(values[1])["pending"]
    assert answers.refine(1, 10)["fraction"] == pytest.approx(0.2)


def test_what_is_quick_to_read_is_read_anew(answers):
    value = Value(10_000)
    answers.first(value)
    value.cost = 5_000
    assert answers.first(value)["text"] == "read 5000"


def test_the_program_goes_on_only_when_nothing_is_being_read(answers, values):
    """Else it might free the memory under the reader."""
    values[1] = Value(50_000)
    order: list[str] = []
    is_reading = threading.Event()

    def slow_block(deadline: Deadline) -> bool:
        is_reading.set()
        resuming.join(0.2)
        order.append("read" if not deadline.expired else "read to the end of the pause")
        return False

    resuming = threading.Thread(target=lambda: (is_reading.wait(5), answers.forget(), order.append("on")))
    resuming.start()
    answers._progress(values[1]).work.advance = slow_block
    answers.refine(1, 1000)
    resuming.join(5)
    assert order == ["read to the end of the pause", "on"]


def test_no_slice_begins_after_the_pause(answers, values):
    values.update({1: Value(5_000), 2: Value(6_000)})
    first = answers._progress(values[1])
    second = answers._progress(values[2])
    first.work.advance = lambda deadline: answers.forget() or True
    answers.summarize([1, 2], 60)
    assert second.work.read == 0


def test_refining_what_is_gone_says_so(answers):
    with pytest.raises(Gone):
        answers.refine(1, 10)


def test_work_stops_when_the_program_goes_on(answers, clock, values):
    values[1] = Value(50_000)
    deadline = answers.deadline(1000)
    assert not deadline.expired
    answers.forget()
    assert deadline.expired


def test_nothing_is_kept_after_the_pause(answers, values):
    values[1] = Value(50_000)
    answers.summarize([1], 20)
    gone = weakref.ref(values[1])
    answers.forget()
    values.clear()
    gc.collect()
    assert gone() is None


def test_work_that_fails_leaves_what_was_learnt(answers, values):
    values[1] = Value(50_000, RuntimeError("freed"))
    assert answers.summarize([1], 20) == [{"text": "read 0", "kind": "tensor"}]
    assert answers.refine(1, 20)["done"]


def test_synthetic_values_are_shown_bare(answers):
    assert answers.first(Text("bare", "spark")) == {"text": "bare", "kind": "other", "style": "spark"}
    assert answers.first(Group("label", list))["text"] == "label"


def test_endless_texts_are_clipped(answers):
    class Long:
        def __repr__(self) -> str:
            return "x" * 100_000

    text = answers.first(Long())["text"]
    assert len(text) == answers_module.LONGEST_TEXT + 1
    assert text.endswith("…")
