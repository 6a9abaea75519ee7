"""How often conditions are told, when they may speak, and what happens when they fail."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from tensorpeek.catalogue import conditions as known
from tensorpeek.probe.conditions.condition import Condition
from tensorpeek.probe.training import overhead
from tensorpeek.probe.training.dispatch import Dispatch
from tensorpeek.probe.training.overhead import Budget
from tensorpeek.probe.training.report import Report


class Costly(Condition):
    info = known.DEAD_ACTIVATION
    samples = frozenset({"on_loss"})
    calls = 0

    def on_loss(self, loss: Any) -> None:
        type(self).calls += 1
        time.sleep(0.002)


class Loud(Condition):
    info = known.LOSS_SPIKE

    def on_loss(self, loss: Any) -> Report | None:
        return Report("Loud", "It is loud.") if loss is None or loss else None


class Broken(Condition):
    info = known.LOSS_PLATEAU

    def on_loss(self, loss: Any) -> None:
        raise ValueError("no such thing")


def _dispatch(*classes: type[Condition], budget: Budget | None = None, **settings: float) -> Dispatch:
    problems: list[str] = []
    dispatch = Dispatch(budget or Budget(), lambda what, error: problems.append(f"{what}: {error}"))
    dispatch.problems = problems  # type: ignore[attr-defined]
    by_id = {cls.info.id: cls for cls in classes}
    dispatch.configure(dict.fromkeys(by_id, settings), by_id)
    return dispatch


def _run(dispatch: Dispatch, steps: int, moment: Callable[[int], Any], first: int = 0) -> list[int]:
    spoke: list[int] = []
    for step in range(first, first + steps):
        dispatch.begin(step, 0.001)
        if dispatch.tell("loss", moment(step), step):
            spoke.append(step)
        dispatch.over()
    return spoke


def test_costly_looks_stay_within_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overhead, "CREDIT_S", 0.2)
    Costly.calls = 0
    budget = Budget(percent=5)
    dispatch = _dispatch(Costly, budget=budget)
    begun = time.perf_counter()
    steps = 0
    while time.perf_counter() - begun < 1.5:
        _run(dispatch, 20, lambda step: 0, steps)
        steps += 20
    # The credit, and 5 % of the time, with a margin for a machine that is busy.
    assert 20 < Costly.calls < (0.2 + 0.05 * (time.perf_counter() - begun)) / 0.002 * 1.3 + 3
    assert Costly.calls < steps
    assert [condition.info.id for condition in dispatch.sampled] == ["dead-activation"]


def test_a_condition_rests_after_it_has_spoken() -> None:
    assert _run(_dispatch(Loud, cooldown=5), 14, lambda step: 1) == [0, 6, 12]


def test_without_a_cool_down_it_rests_until_it_had_nothing_to_say() -> None:
    assert _run(_dispatch(Loud), 9, lambda step: step not in (4, 5)) == [0, 6]


def test_a_condition_that_fails_is_switched_off_and_the_others_go_on() -> None:
    dispatch = _dispatch(Broken, Loud)
    assert _run(dispatch, 2, lambda step: 1) == [0]
    assert [condition.info.id for condition in dispatch.conditions] == ["loss-spike"]
    assert dispatch.problems == ["Loss not decreasing is switched off: no such thing"]  # type: ignore[attr-defined]


def test_settings_change_while_it_runs() -> None:
    dispatch = _dispatch(Loud, cooldown=100)
    _run(dispatch, 1, lambda step: 1)
    kept = dispatch.conditions[0]
    by_id = {"loss-spike": Loud}
    dispatch.configure({"loss-spike": {"cooldown": 100}}, by_id)
    assert dispatch.conditions[0] is kept
    dispatch.configure({"loss-spike": {"cooldown": 3}}, by_id)
    assert dispatch.conditions[0] is not kept
    dispatch.configure({}, by_id)
    assert not dispatch.now


@given(
    st.floats(0.01, 100),
    st.lists(st.floats(1e-6, 0.5), min_size=1, max_size=200),
    st.integers(1, 21),
)
def test_a_share_of_the_budget_is_never_exceeded(percent: float, costs: list[float], sharers: int) -> None:
    budget = Budget(percent)
    now = 1000.0
    begun, due = now, budget.first_due(now)
    spent = 0.0
    for cost in costs:
        now = max(now, due)
        before = spent
        spent += cost
        due = budget.next_due(due, now, cost, sharers)
        assert before * sharers <= overhead.CREDIT_S + (now - begun) * percent / 100 + 1e-6


def test_the_program_sees_a_wish_to_end_it(seen: Any) -> None:
    def end(finding: Any, frame: Any, values: Any) -> None:
        raise SystemExit(3)

    from tensorpeek.catalogue.settings import parse_settings

    seen.training.add_listener(end)
    seen.training.configure({"nan-loss": parse_settings(known.NAN_LOSS, "")})
    with pytest.raises(SystemExit):
        (nn.Linear(2, 1)(torch.ones(1, 2)).sum() * float("nan")).backward()
    assert [finding["condition"] for finding in seen.findings] == ["nan-loss"]
