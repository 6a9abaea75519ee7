"""How ranks agree to stop: two of them as threads, with a store of torch's between them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from tensorpeek.probe.training import ranks
from tensorpeek.probe.training.actions import Wishes
from tensorpeek.probe.training.ranks import Ranks


class Rank(Ranks):
    """As one of two; `calls` are what it did, in order."""

    def __init__(self, store: Any) -> None:
        self.optimizer = SimpleNamespace(param_groups=[{"lr": 0.1}])
        self.training: Any = SimpleNamespace(
            clock=SimpleNamespace(backwards=0, step=0),
            optimizers=[self.optimizer],
            wishes=Wishes(),
            stopped_for=lambda seconds: None,
            note_problem=lambda what, error: self.calls.append(f"{what}: {error}"),
        )
        super().__init__(self.training)
        self.may_stop = True
        self.calls: list[str] = []
        self.say = self.calls.append
        self._store = store
        self._group = SimpleNamespace(size=lambda: 2)

    def _shared(self) -> Any:
        return self._store

    def finds(self, kind: str, stop: Callable[[Any], None] = lambda frame: None) -> None:
        self.announce(kind, "Loss spike")
        self.stop(None, stop)


@pytest.fixture
def pair(monkeypatch: pytest.MonkeyPatch) -> tuple[Rank, Rank]:
    monkeypatch.setattr(ranks, "SAID_AFTER_S", 0.0)
    monkeypatch.setattr(ranks, "BEAT_S", 0.02)
    monkeypatch.setattr(ranks, "GATHER_S", 0.1)
    monkeypatch.setattr(ranks, "ON_THE_WAY_S", 0.2)
    monkeypatch.setattr(ranks, "SILENCE_S", 0.3)
    store = torch.distributed.HashStore()
    return Rank(store), Rank(store)


def in_thread(function: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=lambda: function(), daemon=True)
    thread.start()
    return thread


def ended(thread: threading.Thread) -> bool:
    thread.join(20)
    return not thread.is_alive()


def test_the_other_waits_as_long_as_the_stop_lasts_and_does_as_the_user_said(pair: tuple[Rank, Rank]) -> None:
    first, second = pair
    stopped, go_on = threading.Event(), threading.Event()

    def stop(frame: Any) -> None:
        assert frame is not None
        stopped.set()
        assert go_on.wait(20)
        first.training.wishes.skips_step = True
        first.optimizer.param_groups[0]["lr"] = 0.01

    first.finds("loss", stop)
    assert not stopped.is_set(), "others may be in a collective by now"
    stopping = in_thread(first.before_step)
    assert stopped.wait(20)
    waiting = in_thread(second.before_step)
    waiting.join(1)  # longer than a rank is taken to be alive that does not say so
    assert waiting.is_alive()
    go_on.set()
    assert ended(stopping)
    assert ended(waiting)
    assert "stopped at “Loss spike”" in second.calls[0]
    assert second.training.wishes.skips_step
    assert second.optimizer.param_groups[0]["lr"] == 0.01
    second.before_step()
    assert len(second.calls) == 1


def test_two_that_find_the_same_at_the_step_stop_one_after_the_other(pair: tuple[Rank, Rank]) -> None:
    at_once: list[int] = []
    most: list[int] = []

    def stop(frame: Any) -> None:
        at_once.append(1)
        most.append(len(at_once))
        threading.Event().wait(0.05)
        at_once.pop()

    for one in pair:
        one.finds("gradients", stop)
    threads = [in_thread(one.before_step) for one in pair]
    assert all(map(ended, threads))
    assert most == [1, 1]


def test_one_that_finds_something_at_a_step_that_others_are_past_stops_at_the_next(
    pair: tuple[Rank, Rank],
) -> None:
    first, second = pair
    stops: list[str] = []
    second.before_step()
    first.finds("gradients", lambda frame: stops.append("stop"))
    first.before_step()
    assert stops == []
    waiting = in_thread(second.before_step)
    first.before_step()
    assert stops == ["stop"]
    assert ended(waiting)


def test_nobody_waits_for_a_rank_that_is_gone(pair: tuple[Rank, Rank]) -> None:
    first, second = pair
    stopped, never = threading.Event(), threading.Event()

    def stop(frame: Any) -> None:
        stopped.set()
        never.wait(20)

    first.finds("loss", stop)
    second.before_step()  # it has not come to the step
    assert second.calls == []
    in_thread(first.before_step)
    assert stopped.wait(20)
    first._flag._over.set()  # pyright: ignore[reportPrivateUsage, reportOptionalMemberAccess]
    waiting = in_thread(second.before_step)
    assert ended(waiting)
    assert "is gone" in second.calls[-1]
    never.set()


def test_all_end_where_the_stop_ends_one(pair: tuple[Rank, Rank]) -> None:
    first, second = pair

    def end(frame: Any) -> None:
        raise SystemExit(3)

    first.finds("batch", end)
    with pytest.raises(SystemExit):
        first.before_step()
    with pytest.raises(SystemExit) as ending:
        second.before_step()
    assert ending.value.code == 3


def test_a_rank_that_ends_before_its_step_keeps_nobody(pair: tuple[Rank, Rank]) -> None:
    first, second = pair
    first.finds("loss")
    first.ended()
    second.before_step()
    assert second.calls == []


def test_without_a_store_each_stops_by_itself(pair: tuple[Rank, Rank]) -> None:
    first, _ = pair
    stops: list[str] = []

    class Gone:
        def add(self, key: str, number: int) -> int:
            raise RuntimeError("Connection reset by peer")

    first.finds("loss", lambda frame: stops.append("found"))
    first._store = Gone()  # pyright: ignore[reportPrivateUsage]
    first.before_step()
    assert stops == ["found"]
    assert "Connection reset" in first.calls[0]
    first.finds("loss", lambda frame: stops.append("again"))
    assert stops == ["found", "again"]


def test_an_exception_is_not_waited_with(pair: tuple[Rank, Rank]) -> None:
    stops: list[str] = []
    pair[0].finds("failure", lambda frame: stops.append("stop"))
    assert stops == ["stop"]


def test_what_one_had_explains_what_the_other_has(
    pair: tuple[Rank, Rank], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = pair
    finding: Any = {"title": "NaN in the loss", "path": "/x/train.py", "line": 7, "step": 5}
    monkeypatch.setattr(ranks, "rank", lambda: 1)
    first.tell(finding)
    monkeypatch.setattr(ranks, "rank", lambda: 0)
    assert second.told_by_another(5) == (
        "Rank 1 had NaN in the loss at train.py:7, and the averaged gradients brought it here."
    )
    assert second.told_by_another(9) == ""
