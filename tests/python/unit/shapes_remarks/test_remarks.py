"""A fault of shapes that fit is remarked at its line, once, and nothing at a healthy model."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from shape_models import MODELS
from torch import nn
from unit.conditions.reshapes import IMAGES, SEQUENCES, C, D, Forward, H, S
from unit.shapes_remarks.healthy import CASES, Case, Net
from unit.shapes_remarks.pairs import ROWS, Row, Twin

from tensorpeek.contract.messages import ShapeRemark
from tensorpeek.probe.shapes.call import Call, Target
from tensorpeek.probe.shapes.explicit import traced
from tensorpeek.probe.shapes.fake_trace import trace
from tensorpeek.probe.shapes.names import readable
from tensorpeek.probe.shapes.remarks.changed_samples import changed_samples
from tensorpeek.probe.shapes.remarks.observer import observed
from tensorpeek.probe.shapes.remarks.operations import VIEWS, Operations, follow
from tensorpeek.probe.shapes.remarks.registry import RULES
from tensorpeek.probe.shapes.remarks.remarks import remarks_of
from tensorpeek.probe.shapes.remarks.rule import Rule
from tensorpeek.probe.shapes.remarks.samples import Samples
from tensorpeek.probe.training.places import is_users_file


def remarks(model: nn.Module, inputs: tuple[torch.Tensor, ...], may_run: bool = True) -> list[ShapeRemark]:
    """As a trace makes them, without the rest of it."""
    target = Target("Net", model, None, inputs, {})

    def watch(call: Call) -> AbstractContextManager[Operations]:
        return observed(call, is_users_file)

    outcome = trace(target, watch, may_run)
    assert outcome.seen is not None
    if outcome.second is not None:
        follow(outcome.seen, outcome.second.seen, outcome.batch)
    names = {raw: role.name for raw, role in outcome.roles.items()}
    changed = (lambda: changed_samples(target, 0)) if may_run else (lambda: None)
    return remarks_of(outcome.seen, lambda dim: readable(dim, names), changed)


def twin(row: Row, is_sick: bool, may_run: bool = True) -> list[ShapeRemark]:
    torch.manual_seed(0)
    return remarks(Twin(row.pair(), is_sick), row.inputs(), may_run)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.pair.__name__)
def test_a_fault_is_remarked_once_at_its_line(row: Row) -> None:
    found = twin(row, is_sick=True)
    assert [remark["rule"] for remark in found] == [row.rule]
    assert found[0]["lineText"].endswith("# sick")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.pair.__name__)
def test_its_twin_is_left_alone(row: Row) -> None:
    assert twin(row, is_sick=False) == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.forward.__name__)
def test_a_healthy_model_is_left_alone(case: Case) -> None:
    torch.manual_seed(0)
    assert remarks(Net(case.forward), case.inputs(), may_run=False) == []


@pytest.mark.parametrize("forward", [*SEQUENCES, *IMAGES], ids=lambda forward: forward.__name__)
def test_a_reshape_that_trainings_are_let_pass_is_left_alone(forward: Forward) -> None:
    sequence = forward in SEQUENCES
    layer = nn.Linear(5, 3 * H * D) if sequence else nn.Conv2d(3, C, 3, padding=1)
    x = torch.randn(2, 6, 5) if sequence else torch.randn(2, 3, S, S)
    assert remarks(Then(layer, forward), (x,), may_run=False) == []


@pytest.mark.parametrize("name", list(MODELS))
def test_the_twelve_models_are_left_alone(name: str) -> None:
    model, inputs = MODELS[name](3)
    assert remarks(model, inputs) == []


class Then(nn.Module):
    def __init__(self, layer: nn.Module, forward: Callable[..., Any]) -> None:
        super().__init__()
        self.layer, self.then = layer, forward

    def forward(self, x: torch.Tensor) -> Any:
        return self.then(self.layer(x))


def pair(name: str) -> Row:
    return next(row for row in ROWS if row.pair.__name__ == name)


def test_a_remark_of_a_trace_says_what_was_seen() -> None:
    row = pair("TimeFirstFlattened")
    [remark] = traced(Target("Net", Twin(row.pair(), True), None, row.inputs(), {}))["remarks"]
    assert remark["message"].startswith("[6, B, 8] is reshaped to [B, 48]")
    assert remark["evidence"][1:] == [
        "by the order of the elements, row 0 holds parts of samples 0, 1, 2, 3",
        "in a pass with data, sample 0 changed, and the outputs of samples 0, 1, 2, 3 changed",
    ]
    assert [each["message"] for each in remark["related"]] == ["[6, B, 8] is made here"]
    line = remark["lineText"].encode()[remark["column"] : remark["endColumn"]]
    assert line == b"y.reshape(x.shape[0], -1)"


def test_without_data_the_order_of_the_elements_is_the_evidence() -> None:
    remark = twin(pair("TimeFirstFlattened"), is_sick=True, may_run=False)[0]
    assert len(remark["evidence"]) == 2


def test_operands_are_told_as_they_are_written() -> None:
    remark = twin(pair("ValuesOfActions"), is_sick=True)[0]
    assert remark["evidence"][:2] == ["chosen [B, 1]", "1 + 0.9 * best [B]"]


def there_and_back(x: torch.Tensor) -> torch.Tensor:
    """Mixes, and nothing comes of it."""
    turned = x.transpose(0, 1)
    return (turned.reshape(x.shape[0], -1) + 1).view(turned.shape).transpose(0, 1)


def test_what_a_pass_with_data_refutes_is_not_remarked() -> None:
    model = Then(nn.Linear(5, 4), there_and_back)
    x = torch.randn(3, 6, 5)
    assert remarks(model, (x,)) == []
    assert [each["rule"] for each in remarks(model, (x,), may_run=False)] == ["mixing-reshape"] * 2


def decided_by_data(x: torch.Tensor) -> torch.Tensor:
    if float(x.sum()) > 1e9:
        return x.mean(0)
    return x.transpose(0, 1).reshape(x.shape[0], -1)


def test_two_passes_with_data_know_the_batch_too() -> None:
    found = remarks(Then(nn.Linear(5, 4), decided_by_data), (torch.randn(4, 6, 5),))
    assert [each["rule"] for each in found] == ["mixing-reshape"]
    assert "[6, B, 4] is reshaped to [B, 24]" in found[0]["message"]


def test_the_model_that_is_traced_does_not_change() -> None:
    row = pair("PooledIntoRows")
    model = Twin(row.pair(), is_sick=True)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    state = torch.get_rng_state()
    assert remarks(model, row.inputs())
    assert model.training
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
    torch.set_rng_state(state)


@given(
    st.lists(st.integers(1, 4), min_size=2, max_size=4),
    st.data(),
)
def test_the_order_of_the_elements_is_followed_as_torch_moves_them(
    shape: list[int], data: st.DataObject
) -> None:
    """A chain of permutes and views is judged as the numbers of the samples say, moved along."""
    at = data.draw(st.integers(0, len(shape) - 1))
    samples = 5
    sizes = [*shape[:at], samples, *shape[at:]]
    order = data.draw(st.permutations(range(len(sizes))))
    cut = data.draw(st.integers(0, len(sizes) - 1))
    place = data.draw(st.integers(0, 1))

    def chain(x: torch.Tensor, count: int) -> torch.Tensor:
        y = x.permute(*order)
        rest = y.shape[:cut].numel() if cut > list(order).index(at) else y.shape[cut:].numel()
        rest = max(int(rest) // count, 1)
        whole = int(y.numel()) // count
        kept = rest if whole % rest == 0 else 1
        new = (count, whole // kept, kept) if place else (whole // kept, count, kept)
        return y.reshape(new)

    with torch.no_grad():
        first, second = (_passed(chain, sizes, at, count) for count in (samples, samples - 1))
    follow(first, second, samples)
    numbers = torch.arange(samples).view([samples if dim == at else 1 for dim in range(len(sizes))])
    moved = chain(numbers.expand(sizes), samples)
    mine = moved if place else moved.transpose(0, 1)
    is_apart = all(bool((mine[row] == row).all()) for row in range(samples))
    view = next((each for each in first.all[::-1] if each.name in VIEWS), None)
    if view is not None and view.outputs[0].batch_dim is not None and view.inputs[0].batch_dim is not None:
        assert (view in Samples(first).torn) == (not is_apart)


def _passed(chain: Callable[..., torch.Tensor], sizes: list[int], at: int, count: int) -> Operations:
    x = torch.randn([count if dim == at else size for dim, size in enumerate(sizes)])
    with observed(Call(None, (x,), {}), lambda path: True) as operations:
        chain(x, count)
    return operations


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_the_readme_has_every_rule(rule: type[Rule]) -> None:
    readme = Path(__file__).parents[4] / "README.md"
    assert f"| `{rule.name}` | {rule.description} |" in readme.read_text(encoding="utf-8")
