"""Slow, broken and quick reprs. The slow ones wait for an event that the test sets; nobody sleeps."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest

from tensorpeek.probe import reprs as reprs_module
from tensorpeek.probe.reprs import Reprs, is_plain


class Blocking:
    """Its repr does not come back before `go` is set."""

    def __init__(self, go: threading.Event) -> None:
        self.go = go
        self.runs = 0

    def __repr__(self) -> str:
        self.runs += 1
        self.go.wait(20)
        return "Blocking(...)"


class Quick:
    def __repr__(self) -> str:
        return "Quick<ok>"


def text_of(value: object, before_repr: Callable[[object], None]) -> str:
    for item in value if isinstance(value, list) else [value]:
        before_repr(item)
    return repr(value)


@pytest.fixture
def go() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


@pytest.fixture
def reprs(monkeypatch: pytest.MonkeyPatch) -> Iterator[Reprs]:
    monkeypatch.setattr(reprs_module, "PATIENCE_FOR_ONE", 0.05)
    texts = Reprs(make_text=text_of)
    yield texts
    texts.forget()


@pytest.mark.parametrize(
    "value", [1, "a", None, [1, [2.0]], {"a": (1, 2)}, {1, 2}, object(), print, Quick, range(9)]
)
def test_what_runs_nobodys_code_is_left_to_pydevd(reprs, value):
    assert is_plain(value)
    assert reprs.now(value) is None


def test_a_quick_repr_is_its_text(reprs):
    assert reprs.now(Quick()) == {"text": "Quick<ok>", "kind": "other"}
    assert reprs.now([Quick()]) == {"text": "[Quick<ok>]", "kind": "other"}


def test_one_helper_serves_all_quick_reprs(reprs):
    for _ in range(20):
        reprs.now(Quick())
    assert len(reprs._helpers) == 1


def test_a_slow_repr_is_lazy_and_its_class_is_remembered(reprs, go):
    first, second = Blocking(go), Blocking(go)
    expected = {"text": "Blocking <slow repr>", "kind": "other", "style": "faint", "lazy": True}
    assert reprs.now(first) == expected
    assert reprs.now(second) == expected
    assert (first.runs, second.runs) == (1, 0)


def test_asking_again_waits_for_the_same_run(reprs, go):
    value = Blocking(go)
    reprs.now(value)
    assert reprs.refine(value, 0.01) is None
    go.set()
    answer = reprs.refine(value, 20)
    assert answer["text"].startswith("Blocking(...) <repr took 0.")
    assert value.runs == 1


def test_a_container_of_slow_things_stays_open_and_starts_none(reprs, go):
    value = Blocking(go)
    reprs.now(value)
    other = Blocking(go)
    assert reprs.now([1, other]) == {
        "text": "list <slow repr of Blocking>",
        "kind": "other",
        "style": "faint",
    }
    assert other.runs == 0


def test_the_class_that_is_slow_inside_a_container_is_found(reprs, go):
    assert reprs.now([Quick(), Blocking(go)])["text"] == "list <slow repr of Blocking>"
    assert reprs.now(Quick())["text"] == "Quick<ok>"


def test_many_slow_classes_share_the_patience_of_one_answer(reprs, go, monkeypatch):
    monkeypatch.setattr(reprs_module, "PATIENCE_FOR_ANSWER", 0.1)
    monkeypatch.setattr(reprs_module, "ANSWER_GAP", 60)
    reprs._last = float("inf")  # all of it is one answer
    reprs._patience = 0.1
    values = [type(f"Slow{n}", (Blocking,), {})(go) for n in range(40)]
    assert all(reprs.now(value)["lazy"] for value in values)
    assert sum(value.runs for value in values) <= reprs_module.MOST_RUNNING


def test_forgetting_stops_python_code_and_lets_values_go(reprs):
    started = threading.Event()

    class Endless:
        def __repr__(self) -> str:
            started.set()
            while True:
                pass

    reprs.now(Endless())
    assert started.wait(20)
    (helper,) = reprs._helpers
    reprs.forget()
    helper.join(20)
    assert not helper.is_alive()
    assert not reprs._jobs


@pytest.mark.parametrize("error", [ValueError, SystemExit, KeyboardInterrupt, RecursionError])
def test_a_raising_repr_is_a_text(reprs, error):
    class Broken:
        def __repr__(self) -> str:
            raise error

    assert reprs.now(Broken())["text"] == f"<Broken: __repr__ raised {error.__name__}>"


def test_context_variables_are_those_of_the_program(reprs):
    from contextvars import ContextVar

    name: ContextVar[str] = ContextVar("name", default="unset")

    class Reader:
        def __repr__(self) -> str:
            return name.get()

    token = name.set("of the program")
    assert reprs.now(Reader())["text"] == "of the program"
    name.reset(token)
