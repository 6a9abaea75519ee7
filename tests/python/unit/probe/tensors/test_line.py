"""The line: what matters first, and nothing that misleads."""

from __future__ import annotations

import math

import pytest
import torch
from torch import nn
from unit.probe.peek import peek

from tensorpeek.probe.budget import Deadline
from tensorpeek.probe.statistics import Statistics, scan_tensor
from tensorpeek.probe.tensors.facts import TensorFacts, tensor_facts
from tensorpeek.probe.tensors.line import number, statistics_rows, tensor_line


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.0, "0"),
        (-2.125, "−2.12"),
        (0.03, "0.03"),
        (0.69314, "0.693"),
        (123.456, "123"),
        (1234.5, "1234"),
        (65504.0, "65504"),
        (1e6, "1e6"),
        (-3.4e38, "−3.4e38"),
        (1.5e-7, "1.5e−7"),
        (5e-324, "4.94e−324"),
        (123456789, "123456789"),
        (-(2**63), "−9.22e18"),
        (2**64 - 1, "1.84e19"),
        (math.nan, "NaN"),
        (math.inf, "+Inf"),
        (-math.inf, "−Inf"),
        (None, "–"),
    ],
)
def test_number(value: float | None, text: str) -> None:
    assert number(value) == text


def values(*elements: float) -> torch.Tensor:
    return torch.tensor(elements)


@pytest.mark.parametrize(
    ("tensor", "line"),
    [
        (values(0.0, 1.0, 2.0, 3.0).reshape(2, 2), "f32[2,2] 0…3 μ1.5 σ1.29"),
        (values(0.0, 1.0, 2.0).bfloat16(), "bf16[3] 0…2 μ1 σ1"),
        (torch.arange(10), "i64[10] 0…9 μ4.5"),
        (torch.tensor([True, False, True]), "bool[3] 2 true"),
        (torch.tensor(True), "bool True"),
        (torch.tensor(7, dtype=torch.uint8), "u8 7"),
        (torch.tensor(0.69314), "f32 0.6931"),
        (torch.tensor([0.69314]), "f32[1] 0.6931"),
        (torch.tensor(math.nan), "NaN 1 f32"),
        (torch.tensor(-math.inf), "−Inf 1 f32"),
        (torch.zeros(3, 4), "all 0 f32[3,4]"),
        (torch.zeros(3, dtype=torch.bool), "bool[3] 0 true"),
        (torch.full((2,), 0.5), "all = 0.5 f32[2]"),
        (values(1.0, math.nan, 3.0), "NaN 1 f32[3] 1…3 μ2 σ1.41"),
        (values(math.nan, math.nan), "NaN 2 f32[2]"),
        (values(math.inf, -math.inf, math.nan), "NaN 1 +Inf 1 −Inf 1 f32[3]"),
        (values(1e-40, 2e-40), "denormal f32[2] 1e−40…2e−40 μ1.5e−40 σ7.07e−41"),
        (values(1.0, 2e38).half(), "+Inf 1 f16[2] else 1"),
        (values(1.0, 40000.0).half(), "huge f16[2] 1…40000 μ20000 σ28284"),
        (torch.empty(0, 3), "f32[0,3] empty"),
        (torch.empty(2, 3, device="meta"), "f32[2,3] meta"),
        (torch.tensor([1 + 2j]), "c64[1] re,im 1…2 μ1.5 σ0.707"),
        (nn.Parameter(values(1.0, 2.0)), "f32[2] 1…2 μ1.5 σ0.707 grad param"),
        (nn.Parameter(values(1.0, 2.0), requires_grad=False), "f32[2] 1…2 μ1.5 σ0.707 param"),
    ],
)
def test_line(tensor: torch.Tensor, line: str) -> None:
    looked = peek(tensor)
    assert looked.line == line
    assert looked.line.startswith(looked.alarm)


def test_partial_line() -> None:
    facts = TensorFacts(shape=(40000, 25000), dtype="f32")
    part = Statistics(10**9, 19 * 10**6, nan=3, minimum=-2.0, maximum=3.0, mean=0.25, std=1.0)
    alarm, line = tensor_line(facts, part)
    assert alarm == "NaN ≥3"
    assert line == "NaN ≥3 f32[40000,25000] seen 1.9 % min ≤ −2 max ≥ 3 μ≈0.25"


def test_a_part_is_never_all_equal() -> None:
    alarm, _ = tensor_line(TensorFacts(), Statistics(10, 5, zeros=5, minimum=0.0, maximum=0.0, mean=0.0))
    assert alarm == ""


def test_what_went_wrong_on_the_way() -> None:
    _, line = tensor_line(TensorFacts(shape=(3,), dtype="f32"), Statistics(3, problem="CUDA error: busy"))
    assert line == "f32[3] (CUDA error: busy)"


def test_head_without_statistics() -> None:
    assert tensor_line(tensor_facts(torch.zeros(3, 4)), None) == ("", "f32[3,4]")


def test_device() -> None:
    facts = TensorFacts(shape=(2,), dtype="f16", device="cuda:1", flags=["grad"])
    assert tensor_line(facts, None) == ("", "f16[2] cuda:1 grad")


def test_statistics_rows() -> None:
    tensor = torch.zeros(200, 50)
    tensor[3, 4:10] = math.nan
    tensor[0, 0] = 1 / 3
    scan = scan_tensor(tensor)
    assert scan is not None
    scan.advance(Deadline.never())
    rows = dict(statistics_rows(scan.statistics))
    assert rows["NaN"] == "6 (0.06 %) at [3, 4], [3, 5], [3, 6], [3, 7]…"
    assert rows["max"] == "0.33333334"
    assert rows["zeros"] == "9,993 (99.9 %)"
    assert rows["+Inf"] == "0"
    assert "seen" not in rows


def test_rows_of_a_part() -> None:
    rows = dict(statistics_rows(Statistics(1000, 10, nan=1, minimum=-1.0, maximum=2.0, mean=0.5, std=1.0)))
    assert rows["seen"] == "1 % of 1,000"
    assert rows["min"] == "≤ −1"
    assert rows["max"] == "≥ 2"
    assert rows["NaN"] == "≥ 1 (10 %)"
