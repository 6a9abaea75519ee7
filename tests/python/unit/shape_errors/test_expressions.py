"""Shapes of expressions without their data, and expressions that are written for the user."""

from __future__ import annotations

import ast
import sys
from types import FrameType
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from tensorpeek.probe import raw
from tensorpeek.probe.shape_errors.evaluate import evaluate
from tensorpeek.probe.shape_errors.explanation import attached

STEPS = [
    "{}.transpose(0, 1)",
    "{}.flatten(1)",
    "{}.unsqueeze(-1)",
    "{}[:, None]",
    "{}[:, 1:]",
    "{}[0]",
    "{}.T",
    "{}.mean(-1, keepdim=True)",
    "(({} + 1) * x.shape[0])",
    "torch.cat([{0}, {0}], dim=0)",
    "F.relu({})",
    "{}.sum(0)",
    "(-{} > 0).float()",
    "{}.view(-1)",
    "({} @ torch.zeros(4, 7))",
]


def here() -> FrameType:
    return sys._getframe(1)


@settings(deadline=None)
@given(st.lists(st.sampled_from(STEPS), max_size=5))
def test_an_expression_has_the_shape_that_it_would_have(steps: list[str]) -> None:
    x = torch.zeros(2, 3, 4)
    text = "x"
    for step in steps:
        text = step.format(text)
    own = evaluate(here(), ast.parse(text, mode="eval").body)
    try:
        expected: Any = eval(text, {"torch": torch, "F": F}, {"x": x}).shape
    except (RuntimeError, IndexError, ValueError):
        assert own is raw.MISSING
        return
    assert (own.shape, own.device.type) == (expected, "meta")


@pytest.mark.parametrize(
    "text",
    [
        "open('x')",
        "x.tolist()",
        "x.backward()",
        "x.fill_(1)",
        "x.item()",
        "own(x)",
        "[y for y in x]",
        "x.zero",
        "x[m]",
    ],
)
def test_what_may_run_code_or_depends_on_data_has_no_answer(text: str) -> None:
    x, m = torch.zeros(3), torch.zeros(3, dtype=torch.bool)

    def own(value: torch.Tensor) -> torch.Tensor:
        raise AssertionError

    assert evaluate(here(), ast.parse(text, mode="eval").body) is raw.MISSING
    del x, m


def test_layers_of_torch_are_worked_out_without_being_called() -> None:
    x = torch.zeros(2, 3, 8, 8)
    net = nn.Sequential(
        nn.Conv2d(3, 5, 3, padding=1), nn.BatchNorm2d(5), nn.ReLU(), nn.Flatten(), nn.Linear(320, 4)
    )
    for part in net.modules():
        part.register_forward_hook(lambda *_: pytest.fail("called"))
    own = evaluate(here(), ast.parse("net(x)", mode="eval").body)
    assert own.shape == (2, 4)
    del x


NAMES = st.sampled_from(
    [
        "x",
        "self.fc",
        "a + b",
        "-x",
        "x[0]",
        "f(x)",
        "~mask",
        "not x",
        "a @ b",
        "x.T",
        "(a, b)[0]",
        "x if y else z",
        "x[a + b]",
    ]
)


@given(NAMES, st.sampled_from([".T", ".view(-1)", "[:, None]"]))
def test_what_is_put_behind_an_expression_belongs_to_all_of_it(text: str, rest: str) -> None:
    tree = ast.parse(attached(text, rest), mode="eval").body
    while isinstance(tree, ast.Call):
        tree = tree.func
    assert isinstance(tree, (ast.Attribute, ast.Subscript))
    assert ast.dump(tree.value) == ast.dump(ast.parse(text, mode="eval").body)
