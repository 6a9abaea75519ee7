"""What is under a tensor."""

from __future__ import annotations

import math
import warnings

import pytest
import torch
from torch import nn
from unit.probe.peek import peek

from tensorpeek.probe import pydevd_access
from tensorpeek.probe.budget import Deadline
from tensorpeek.probe.kinds.kind import Child
from tensorpeek.probe.kinds.tensor import TensorKind
from tensorpeek.probe.kinds.tensor_row import RowKind, TensorRow
from tensorpeek.probe.presentation import Group

KIND = TensorKind()


def children(value: object) -> dict[str, Child]:
    if isinstance(value, Group):
        found = value.make_children()
    elif isinstance(value, TensorRow):
        found = RowKind().children(value) or []
    else:
        found = KIND.children(value) or []
    return {child.name: child for child in found}


def test_matches() -> None:
    assert KIND.matches(torch.Tensor)
    assert KIND.matches(nn.Parameter)
    assert not KIND.matches(int)
    assert RowKind().matches(TensorRow)


def test_names_under_a_leaf() -> None:
    rows = children(torch.randn(3, 4, requires_grad=True))
    assert list(rows) == ["stats", "grad", "values", "storage", "all attributes"]
    assert rows["grad"].value is None
    assert rows["grad"].evaluate == ".grad"


def test_gradient() -> None:
    leaf = torch.ones(2, requires_grad=True)
    (leaf * 3).sum().backward()
    assert children(leaf)["grad"].value is leaf.grad


def test_names_under_a_result() -> None:
    rows = children(torch.randn(3, requires_grad=True) * 2)
    assert list(rows) == ["stats", "grad_fn", "values", "storage", "all attributes"]


def test_names_under_a_plain_tensor() -> None:
    assert list(children(torch.zeros(3))) == ["stats", "values", "storage", "all attributes"]


def test_every_expression_yields_what_is_shown() -> None:
    tensor = torch.arange(12.0).reshape(3, 4)
    values = children(children(tensor)["values"].value)
    assert list(values) == ["[0]", "[1]", "[2]"]
    assert values["[1]"].evaluate == "[1]"
    row = children(values["[1]"].value)
    assert row["[2]"].value == str(tensor[1][2].item())
    assert row["[2]"].evaluate == "[2]"


def test_many_rows_are_grouped() -> None:
    groups = children(children(torch.arange(12_345))["values"].value)
    assert list(groups) == ["[0…9999]", "[10000…12344]"]
    assert groups["[0…9999]"].evaluate == ""
    inner = children(groups["[10000…12344]"].value)
    assert list(inner)[-1] == "[12300…12344]"
    elements = children(inner["[12300…12344]"].value)
    assert elements["[12344]"].value == "12344"
    assert elements["[12344]"].evaluate == "[12344]"


@pytest.mark.parametrize(
    ("dtype", "text"),
    [
        (torch.float32, "3.0"),
        (torch.float16, "3.0"),
        (torch.bfloat16, "3.0"),
        (torch.float8_e4m3fn, "3.0"),
        (torch.float64, "3.0"),
        (torch.int8, "3"),
        (torch.uint16, "3"),
        (torch.int64, "3"),
        (torch.bool, "True"),
        (torch.complex64, "(3+0j)"),
        (torch.complex32, "(3+0j)"),
    ],
)
def test_elements(dtype: torch.dtype, text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tensor = torch.tensor([[1.0, 2.0], [0.0, 3.0]]).to(dtype).T
    assert peek(tensor).rows["values/[1]/[1]"] == text


@pytest.mark.parametrize(
    ("dtype", "number", "text"),
    [
        (torch.float32, 0.1, "0.1"),
        (torch.float32, 0.7752069830894470, "0.775207"),
        (torch.float32, 1 / 3, "0.33333334"),
        (torch.float32, torch.finfo(torch.float32).max, "3.4028235e+38"),
        (torch.float32, 1e-45, "1e-45"),
        (torch.float32, 16777217.0, "16777216.0"),
        (torch.float16, 0.1, "0.1"),
        (torch.float16, 65504.0, "65504.0"),
        (torch.bfloat16, 0.1, "0.1"),
        (torch.bfloat16, 1 / 3, "0.334"),
        (torch.float64, 1 / 3, "0.3333333333333333"),
        (torch.complex64, 0.1 - 0.2j, "(0.1-0.2j)"),
        (torch.float32, -0.0, "-0.0"),
        (torch.float32, math.nan, "nan"),
        (torch.float16, -math.inf, "-inf"),
    ],
    ids=str,
)
def test_elements_have_the_digits_of_their_dtype(dtype: torch.dtype, number: complex, text: str) -> None:
    tensor = torch.tensor([number], dtype=dtype)
    assert peek(tensor).rows["values/[0]"] == text
    if math.isfinite(abs(number)):
        again = torch.tensor([complex(text) if isinstance(number, complex) else float(text)], dtype=dtype)
        assert torch.equal(again, tensor)


def test_rows_of_strided_expanded_and_offset_views() -> None:
    base = torch.arange(24.0).reshape(4, 6)
    for view in (base[1:, ::2], base.T, base[:1].expand(3, -1), base[2]):
        rows = peek(view).rows
        for i, j in ((0, 0), (2, 1)):
            expected = view[i][j] if view.dim() > 1 else view[i]
            path = f"values/[{i}]/[{j}]" if view.dim() > 1 else f"values/[{i}]"
            assert rows[path] == str(expected.item())


def test_a_row_has_its_own_line_and_alarm() -> None:
    tensor = torch.zeros(2, 3)
    tensor[1, 1] = math.nan
    row = children(children(tensor)["values"].value)["[1]"].value
    scan = RowKind().scan(row)
    assert scan is not None
    presentation = RowKind().present(row, scan)
    assert presentation is not None
    assert presentation["text"] == "f32[3]"
    assert scan.advance(Deadline.never())
    presentation = RowKind().present(row, scan)
    assert presentation is not None
    assert presentation["text"] == "NaN 1 f32[3] else 0"
    assert presentation["alarm"] == "NaN 1"


def test_a_row_of_a_freed_tensor() -> None:
    tensor = torch.zeros(2, 3)
    row = children(children(tensor)["values"].value)["[1]"].value
    tensor.untyped_storage().resize_(0)
    assert RowKind().scan(row) is None
    assert RowKind().present(row, None) == {"text": "(no storage)", "kind": "tensor"}
    assert [child.value for child in RowKind().children(row) or []] == ["no storage"]


def test_stats() -> None:
    tensor = torch.cat((torch.zeros(50), torch.ones(100)))
    tensor[7] = math.inf
    rows = peek(tensor).rows
    assert rows["stats/max"] == "1"
    assert rows["stats/+Inf"] == "1 (0.667 %) at [7]"
    assert rows["stats/histogram"] == "0 ▄                      █ 1"


def test_storage() -> None:
    rows = peek(torch.zeros(4, 6)[:, 1:3]).rows
    assert rows["storage"] == "96 bytes"
    assert rows["storage/stride"] == "(6, 1)"
    assert rows["storage/offset"] == "1"
    assert rows["storage/contiguous"] == "False"
    assert rows["storage/covers"] == "32 bytes of it"


def test_storage_says_who_shares_it(monkeypatch: pytest.MonkeyPatch) -> None:
    tensor = torch.zeros(4, 6)
    names = {"tensor": tensor, "row": tensor[1], "bare": tensor.detach(), "other": torch.zeros(3), "n": 1}
    monkeypatch.setattr(pydevd_access, "paused_names", lambda: names)
    assert peek(tensor).rows["storage/shared with"] == "row, bare"
    assert peek(names["bare"]).rows["storage/shared with"] == "tensor, row"
    assert "storage/shared with" not in peek(names["other"]).rows
    assert peek(names["row"]).rows["storage/view of"] == "Tensor"


def test_all_attributes() -> None:
    tensor = torch.zeros(2)
    tensor.note = "mine"  # type: ignore[attr-defined]
    rows = peek(tensor).rows
    assert rows["all attributes/note"] == "mine"
    assert rows["all attributes/shape"] == "Size"


@pytest.mark.parametrize(
    ("tensor", "text"),
    [
        (torch.tensor([0.0, 1.0, 1.0]), "0 ▄                      █ 1"),
        (torch.zeros(3), "0"),
        (torch.tensor(2.5), "2.5"),
        (torch.full((3,), math.nan), "nothing finite"),
        (torch.arange(24).repeat(5000), f"0 {'█' * 24} 23"),
        (torch.arange(3.0).numpy(), "0 █           █          █ 2"),
    ],
)
def test_the_line_of_stats(answers, tensor, text) -> None:
    rows = {row[0]: row[1] for row in answers.children(tensor)}
    assert answers.first(rows["stats"]) == {"text": text, "kind": "array", "style": "spark"}


def test_stats_of_much_become_exact_on_request(answers) -> None:
    stats = children(torch.arange(24.0).repeat(125_000))["stats"].value
    answers.is_configured = True
    assert answers.first(stats)["pending"]
    answers.find_value = lambda reference: stats
    assert answers.refine(1, 60_000)["presentation"]["text"] == f"0 {'█' * 24} 23"
    assert children(stats)["max"].value == "23"


def test_stats_go_on_with_what_the_line_has_read(answers) -> None:
    """So they agree with it, and nothing is read twice."""
    tensor = torch.arange(24.0).repeat(1_250_000)
    tensor[29_000_000] = math.nan
    answers.is_configured = True
    held: dict[int, object] = {1: tensor}
    answers.find_value = held.__getitem__
    assert answers.first(tensor)["pending"]
    answers.refine(1, 1)
    held[2] = stats = next(value for name, value, _ in answers.children(tensor) if name == "stats")
    partial = answers.summarize([2], 1)[0]
    assert partial["partial"]
    assert partial["text"].startswith("min ≤ ")
    while not (result := answers.refine(2, 20))["done"]:
        assert 0 <= result["fraction"] < 1
    assert "partial" not in result["presentation"]
    assert answers.first(tensor) == {
        "text": "NaN 1 f32[30000000] 0…23 μ11.5 σ6.92", "kind": "tensor", "alarm": "NaN 1",
    }  # fmt: skip
    again = next(value for name, value, _ in answers.children(tensor) if name == "stats")
    assert again is stats
    rows = children(again)
    assert rows["NaN"].value == "1 (3.33e-06 %) at [29000000]"
    assert rows["histogram"].value == result["presentation"]["text"]
    assert rows["histogram"].value.endswith("██ 23")


def test_a_histogram_of_a_part_says_so() -> None:
    stats = children(torch.arange(24.0).repeat(40_000))["stats"].value
    work = stats.work()
    work.scan.advance(Deadline.never())
    work.advance(Deadline.after(0))
    assert work.histogram().endswith(" of 6.7 %")
    assert 0 < work.cost < 1_000_000
    assert work.advance(Deadline.never())
    assert work.histogram() == f"0 {'█' * 24} 23"


def test_groups_say_what_is_in_them() -> None:
    rows = children(torch.zeros(64, 10))
    assert rows["values"].value.label == "64 × f32[10]"
    assert rows["all attributes"].value.label == "shape, dtype, device, …"
    assert children(torch.zeros(5))["values"].value.label == "5 × f32"
    assert "values" not in children(torch.tensor(1.0))
