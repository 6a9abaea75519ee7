from __future__ import annotations

import sys

import pytest
import torch
from torch import nn

from tensorpeek.probe.budget import Deadline
from tensorpeek.probe.frame_lines import frame_lines

A_GLOBAL = 7


class Slotted:
    __slots__ = ("x", "unset")

    def __init__(self):
        self.x = torch.ones(3)


def paused_frame():
    model = nn.Sequential(nn.Linear(3, 2))  # noqa: F841
    broken = torch.tensor([[1.0, float("nan")]])  # noqa: F841
    loss = torch.tensor(0.5)  # noqa: F841
    batch = {"x": torch.ones(64, 10)}  # noqa: F841
    zeros = torch.zeros(4)  # noqa: F841
    slotted = Slotted()  # noqa: F841
    text, number, none = "a" * 100, 3, None  # noqa: F841
    items = list(range(100_000))  # noqa: F841
    function, module, cls = print, sys, Slotted  # noqa: F841
    return sys._getframe()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("broken", "NaN 1 f32[1, 2]"),
        ("zeros", "all 0 f32[4]"),
        ("loss", "f32 0.5"),
        ("batch", "{x: f32[64,10]}"),
        ("text", "'aaaaaaaaaaaaaaaaaaaaaa…"),
        ("number", "3"),
        ("none", "None"),
        ("A_GLOBAL", "7"),
        ("items", "[0, 1, 2, 3, 4, 5, 6, 7, … 1000…"),
        ("slotted.x", "all = 1 f32[3]"),
        ("slotted.unset", ""),
        ("torch.nn", ""),
        ("function", ""),
        ("module", ""),
        ("cls", ""),
        ("model", ""),
        ("unknown", ""),
        ("", ""),
        ("batch.x", ""),
    ],
)
def test_text_of_a_name(name, text):
    assert frame_lines(paused_frame(), [name], Deadline.after(1000)) == [text]


def test_parameters_of_modules_are_found_without_getattr():
    frame = paused_frame()
    layer = frame.f_locals["model"]
    layer.fc = nn.Linear(3, 2)
    (text,) = frame_lines(frame, ["model.fc.weight"], Deadline.after(1000))
    assert text == "f32[2, 3]"


def test_a_container_begins_with_the_worst_in_it():
    batch = {"image": torch.tensor([1.0, float("nan")]), "label": torch.arange(2)}  # noqa: F841
    (text,) = frame_lines(sys._getframe(), ["batch"], Deadline.after(1000))
    assert text == "NaN 1 {image: f32[2], label: i64[2]}"


def test_a_big_value_takes_no_alarm_from_a_small_one():
    big = torch.zeros(100_000_000)  # noqa: F841
    small = torch.tensor([1.0, float("nan")])  # noqa: F841
    texts = frame_lines(sys._getframe(), ["big", "small"], Deadline.after(3))
    assert texts[1] == "NaN 1 f32[2]"


def test_without_time_the_shape_is_still_said():
    broken = torch.full((1_000_000,), float("nan"))  # noqa: F841
    assert frame_lines(sys._getframe(), ["broken"], Deadline.after(0)) == ["f32[1000000]"]
