"""Conditions evaluated in real frames: what they see, remember, report, and never do."""

from __future__ import annotations

import re
import sys
from types import FrameType
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tensorpeek.probe.lines.lines import Lines, place_text
from tensorpeek.probe.lines.throttle import BURST, Throttle


class Told:
    """What the user is told, and a line that is reached in frames of the test's own."""

    def __init__(self, condition: str = "", hit_condition: str = "", message: str = "") -> None:
        self.console: list[tuple[str, str]] = []
        self.file: list[tuple[str, str]] = []
        self.lines = Lines(self._say, lambda text, level: self.file.append((level, text)))
        self.texts = (condition, hit_condition, message)
        self.stops: list[bool] = []

    def _say(self, text: str, category: str) -> None:
        self.console.append((category, text))

    def reach(self, frame: FrameType | None = None) -> bool:
        frame = frame or sys._getframe(1)
        line = self.lines.line("/project/train.py", 28, *self.texts)
        stops = self.lines.stops(line, frame)
        if stops and self.texts[2]:
            self.lines.log(line, frame, "/project/train.py", 28)
        elif stops:
            self.lines.announce(place_text("/project/train.py", 28))
        self.stops.append(stops)
        return stops

    def reach_with(self, **names: Any) -> bool:
        """In a frame with these local names."""
        space: dict[str, Any] = {"reach": self.reach, "getframe": sys._getframe}
        arguments = ", ".join(names)
        exec(f"def function({arguments}):\n    return reach(getframe())", space)
        return space["function"](**names)

    def errors(self) -> list[str]:
        return [text for category, text in self.console if category == "stderr"]


def test_the_condition_sees_the_frames_names_and_leaves_no_trace_in_them() -> None:
    told = Told("tp.norm(x) > limit and every < 5")
    space: dict[str, Any] = {"told": told, "limit": 4, "every": 3}
    exec("def f(x):\n    told.reach()\n    return sorted(locals())", space)
    assert space["f"](torch.tensor([3.0, 4.0])) == ["x"]
    assert told.stops == [True]
    assert "tp" not in space
    exec("x = 5.0\ntold.reach()\nnames = sorted(globals())", space)
    assert "tp" not in space["names"]
    assert told.stops == [True, True]


def test_it_works_in_class_bodies_generators_and_comprehensions() -> None:
    told = Told("tp.max(x) > 2")

    class Body:
        x = 3
        told.reach()

    def generator(x):
        told.reach()
        yield x

    list(generator(1))
    [told.reach() for x in (1, 5)]
    assert told.stops == [True, False, False, True]
    assert told.errors() == []


def test_code_inside_the_condition_sees_local_names() -> None:
    told = Told("any(tp.norm(p) > limit for p in values) and [limit for _ in values]")
    assert told.reach_with(values=[1.0, 3.0], limit=2)
    assert not told.reach_with(values=[1.0, 1.5], limit=2)
    assert told.errors() == []


def test_the_programs_own_tp_goes_first_where_it_has_what_is_asked() -> None:
    class Metrics:
        def spike(self, x):
            return x == 7

    told = Told("tp.spike(x)")
    assert told.reach_with(tp=Metrics(), x=7)
    assert not told.reach_with(tp=Metrics(), x=8)
    told = Told("tp > 3")
    assert told.reach_with(tp=5)
    told = Told("tp.every(2)")
    assert [told.reach_with(tp=5) for _ in range(4)] == [False, True, False, True]


def spikes(condition: str, values: list[float]) -> list[int]:
    told = Told(condition)
    return [index for index, x in enumerate(values) if told.reach_with(x=x, y=index)]


NOISE = [1 + 0.1 * ((index * 37) % 17) / 17 for index in range(40)]


def test_each_call_sees_each_value_once() -> None:
    values = [*NOISE, 50.0, *NOISE[:3]]
    assert spikes("tp.spike(x)", values) == [40]
    assert spikes("tp.every(1) and tp.spike(x)", values) == [40]
    assert spikes("any(tp.spike(v) for v in (1.0, x))", values) == [40]
    assert spikes("tp.every(2) and tp.changed(x)", [1, 1, 2, 3, 3, 3]) == [3]


def test_what_python_skips_is_seen_all_the_same() -> None:
    values = [*NOISE, 50.0, *NOISE[:3]]
    assert spikes("y == 40 and tp.spike(x)", values) == [40]
    assert spikes("tp.spike(x) and tp.spike(x * 2)", values) == [40]
    assert spikes("y > 0 or tp.spike(x)", values[:2]) == [1]
    assert spikes("(tp.spike(x) if y == 40 else False)", values) == [40]
    assert spikes("y == 40 and tp.spike(float(x))", values) == [], "a call of the program's is not made"
    assert spikes("x is not None and tp.spike(x)", [None, *values]) == [41]


def test_every_counts_the_hits_of_the_breakpoint() -> None:
    assert spikes("y > 2 and tp.every(3)", [0.0] * 10) == [5, 8]


def test_memory_goes_on_when_the_breakpoint_is_set_again_and_ends_with_the_text() -> None:
    told = Told("tp.every(4)")
    for _ in range(3):
        told.reach_with(x=1)
    assert told.reach_with(x=1)
    told.texts = ("tp.every(3)", "", "")
    assert [told.reach_with(x=1) for _ in range(3)] == [False, False, True]
    told.texts = ("tp.every(4)", "", "")
    assert not told.reach_with(x=1)


def test_a_hit_count_counts_the_hits_where_the_condition_holds() -> None:
    told = Told("x > 2", "@HIT@ == 2")
    assert [told.reach_with(x=x) for x in (3, 1, 1, 4, 5)] == [False, False, False, True, False]
    told = Told("", "@HIT@ % 2 == 0")
    assert [told.reach_with(x=0) for _ in range(4)] == [False, True, False, True]
    told = Told("", "@HIT@ >= start")
    assert [told.reach_with(start=3) for _ in range(4)] == [False, False, True, True]


def test_a_failure_is_told_once_with_its_place_and_does_not_stop() -> None:
    told = Told("tp.norm(x) > 1")
    assert [told.reach_with(x="text") for _ in range(3)] == [False] * 3
    assert told.errors() == [
        "train.py:28: the condition `tp.norm(x) > 1` failed and does not stop here: "
        "Unusable: str is no tensor, number, array, list or module\n"
    ]
    assert told.file == [("ERROR", told.errors()[0].strip())]
    assert told.reach_with(x=5.0), "it works again as soon as it can"


@pytest.mark.parametrize(
    ("condition", "names"),
    [
        ("1 / x", {"x": 0}),
        ("unknown_name > 3", {"x": 0}),
        ("x", {"x": torch.ones(3)}),
        ("x.nothing", {"x": 1}),
        ("tp.spike(x, factor='a')", {"x": 1.0}),
        ("(lambda: x.y)()", {"x": 1}),
        ("x >", {"x": 1}),
        ("exit()", {"x": 1}),
        ("tp.spike(x, factor=float('nan'))", {"x": 1.0}),
        ("tp.plateau(x, window=float('nan'))", {"x": 1.0}),
    ],
)
def test_whatever_fails_never_reaches_the_program(condition: str, names: dict[str, Any]) -> None:
    told = Told(condition)
    told.reach_with(**names)
    for _ in range(30):
        assert not told.reach_with(**names)
    assert len(told.errors()) == 1


def test_the_users_ctrl_c_reaches_the_program() -> None:
    told = Told("(_ for _ in ()).throw(KeyboardInterrupt)")
    with pytest.raises(KeyboardInterrupt):
        told.reach()


def test_a_window_without_end_is_bounded() -> None:
    told = Told("tp.spike(x, window=float('inf')) or tp.plateau(x, window=float('inf'))")
    assert not any(told.reach_with(x=1.0) for _ in range(30))
    assert told.errors() == []


def test_a_name_that_is_not_assigned_yet_is_no_failure() -> None:
    told = Told("tp.spike(loss)")

    def train() -> None:
        for value in (1.0, 2.0):
            told.reach()
            loss = value  # noqa: F841

    train()
    assert told.errors() == []
    space = {"told": told, "reach": told.reach}
    exec("told.reach()\nloss = 1.0\ntold.reach()", space)
    assert told.errors() == []


def test_log_messages_go_to_the_console_and_to_the_file() -> None:
    told = Told("", "", "'loss %s %s' % (x, tp.line(y),)")
    told.reach_with(x=1, y=torch.ones(2))
    assert told.console == [("stdout", "loss 1 all = 1 f32[2]\n")]
    assert told.file == [("INFO", "train.py:28: loss 1 all = 1 f32[2]")]
    told = Told("x > 1", "", "'%s' % (x,)")
    told.reach_with(x=1)
    told.reach_with(x=2)
    assert [text for _, text in told.console] == ["2\n"]
    told = Told("", "", "'%s' % (x.nothing,)")
    told.reach_with(x=1)
    told.reach_with(x=1)
    assert len(told.errors()) == 1


def test_too_many_messages_are_counted_and_the_last_one_comes_at_the_end() -> None:
    told = Told("", "", "'%s' % (x,)")
    for x in range(1000):
        told.reach_with(x=x)
    assert len(told.console) < 2 * BURST
    told.lines.end()
    assert told.console[-1][1].startswith("999   (")
    shown = sum(
        1 + int(text.partition("(")[2].split()[0].replace(",", "") if "(" in text else 0)
        for _, text in told.console
    )
    assert shown == 1000


@given(st.lists(st.floats(0, 1), max_size=300))
def test_no_message_is_lost_without_being_counted(waits: list[float]) -> None:
    throttle, now, accounted = Throttle(), 1.0, 0
    for number, wait in enumerate(waits):
        now += wait
        shown = throttle.passed(str(number), now)
        if shown is not None:
            accounted += 1 + (int(shown.partition("(")[2].split()[0].replace(",", "")) if "(" in shown else 0)
    rest = throttle.rest()
    if rest is not None:
        accounted += 1 + (int(rest.partition("(")[2].split()[0].replace(",", "")) if "(" in rest else 0)
    assert accounted == len(waits)


REASONS: list[tuple[str, dict[str, Any], str, str]] = [
    ("tp.norm(w) > 1", {"w": torch.tensor([3.0, 4.0])}, "norm w 5", "the norm of w is 5"),
    ("tp.nonfinite(w)", {"w": float("nan")}, "w has NaN or Inf", "there is NaN or Inf in w"),
    ("tp.outside(w, 0, 1)", {"w": [0.5, 3.0]}, "w 0.5…3", "w goes from 0.5 to 3, outside 0 to 1"),
    ("tp.shape(w) != (2,)", {"w": torch.ones(3)}, "w (3,)", "the shape of w is (3,)"),
    ("tp.rank() == 0", {"w": 1}, "rank 0", "the rank is 0"),
]


@pytest.mark.parametrize(("condition", "names", "title", "sentence"), REASONS)
def test_a_stop_says_why(condition: str, names: dict[str, Any], title: str, sentence: str) -> None:
    import threading

    told = Told(condition)
    assert told.reach_with(**names)
    assert told.console == [("console", f"train.py:28: {sentence}\n")]
    assert told.lines.reason_of(threading.get_ident()) == (title, sentence)
    assert told.lines.reason_of(threading.get_ident()) is None, "asked once"
    assert len(title) <= 31


def test_a_spike_says_what_is_usual() -> None:
    import threading

    told = Told("tp.spike(a_loss_with_a_very_long_name)")
    for x in [*NOISE, 50.0]:
        told.reach_with(a_loss_with_a_very_long_name=x)
    title, sentence = told.lines.reason_of(threading.get_ident()) or ("", "")
    assert title.startswith("a_loss")
    assert re.search(r"… 50, usual 1\.0\d$", title)
    assert len(title) == 31
    assert sentence.startswith("a_loss_with_a_very_long_name is 50: ")


def test_steps_are_counted_by_hits_in_a_program_without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "torch")
    told = Told("tp.step() == 2")
    assert [told.reach_with(x=1) for _ in range(4)] == [False, False, True, False]
