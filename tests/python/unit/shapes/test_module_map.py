"""The tree of modules: each once, with what it gave in every call."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from tensorpeek.contract.messages import TracedModule
from tensorpeek.probe.shapes.call import Target
from tensorpeek.probe.shapes.explicit import traced
from tensorpeek.probe.shapes.module_map import ModuleMap


def rows_of(model: Any, *args: Any) -> dict[str, TracedModule]:
    modules = ModuleMap(model)
    with torch.no_grad(), modules:
        model(*args)
    return {row["path"]: row for row in modules.rows()}


class Repeating(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.grow = nn.Linear(4, 4)
        self.again = self.grow
        self.unused = nn.Sequential(nn.Linear(4, 2), nn.ReLU())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.grow(x)
        x = self.again(torch.cat([x, x]))
        return self.grow(x)


def test_each_call_has_its_output_and_the_first_its_line() -> None:
    row = rows_of(Repeating(), torch.zeros(3, 4))["grow"]
    assert [each["sizes"] for each in row["outputs"]] == [[3, 4], [6, 4]]
    assert row["order"] == [0, 1, 1]
    assert row["calls"] == 3
    assert row["bytes"] == (12 + 24 + 24) * 4
    with open(row["callPath"], encoding="utf-8") as file:  # noqa: PTH123
        assert file.readlines()[row["callLine"] - 1].strip() == "x = self.grow(x)"


def test_a_module_under_two_names_is_listed_again_without_what_is_below_it() -> None:
    shared = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
    rows = rows_of(nn.Sequential(shared, shared), torch.zeros(1, 4))
    assert {path: row["sameAs"] for path, row in rows.items()} == {
        "": "",
        "0": "",
        "0.0": "",
        "0.1": "",
        "1": "0",
    }
    assert rows[""]["parameters"] == rows["1"]["parameters"] == 20


def test_what_was_not_called_says_so() -> None:
    rows = rows_of(Repeating(), torch.zeros(3, 4))
    assert rows["unused.0"]["calls"] == 0
    assert rows["unused.0"]["outputs"] == []
    assert rows["unused.0"]["callLine"] == 0
    assert rows["unused.0"]["parameters"] == 10


def test_frozen_parameters_and_their_bytes() -> None:
    model = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1, dtype=torch.float64))
    model[0].weight.requires_grad_(False)
    model[1].to(torch.float32)
    rows = rows_of(model, torch.zeros(1, 2))
    assert (rows[""]["parameters"], rows[""]["trainable"], rows[""]["parameterBytes"]) == (13, 7, 52)


class Tied(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(7, 4)
        self.head = nn.Linear(4, 7, bias=False)
        self.head.weight = self.words.weight
        self.words.weight.requires_grad_(False)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.head(self.words(ids))


@pytest.mark.parametrize("symbolic", [True, False])
def test_a_tied_weight_is_known_in_a_copy_too(symbolic: bool) -> None:
    model = Tied()
    ids = torch.zeros(5, 3, dtype=torch.long)
    if symbolic:
        rows = {row["path"]: row for row in traced(Target("", model, None, (ids,), {}))["modules"]}
        assert rows["head"]["outputs"][0]["dims"] == ["B", "T", "7"]
    else:
        rows = rows_of(model, ids)
    assert {path: row["tiedTo"] for path, row in rows.items()} == {"": "", "words": "", "head": "words"}
    assert (rows[""]["parameters"], rows[""]["trainable"]) == (28, 0)


def test_a_call_that_raises_was_one() -> None:
    model = nn.Sequential(nn.Linear(4, 4), nn.Linear(5, 5))
    modules = ModuleMap(model)
    with pytest.raises(RuntimeError), modules:
        model(torch.zeros(1, 4))
    rows = {row["path"]: row for row in modules.rows()}
    assert {path: (row["calls"], len(row["outputs"])) for path, row in rows.items()} == {
        "": (1, 0),
        "0": (1, 1),
        "1": (1, 0),
    }


def test_a_lazy_module_that_was_not_called_has_no_parameters_yet() -> None:
    class Late(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.late = nn.LazyLinear(3)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x

    assert rows_of(Late(), torch.zeros(2))["late"]["parameters"] == 0


def test_what_is_no_module_has_no_tree() -> None:
    assert rows_of(torch.relu, torch.zeros(2)) == {}


def test_no_hook_is_left() -> None:
    hooks: Any = nn.modules.module
    before = len(hooks._global_forward_hooks), len(hooks._global_forward_pre_hooks)
    rows_of(nn.Linear(2, 2), torch.zeros(1, 2))
    assert (len(hooks._global_forward_hooks), len(hooks._global_forward_pre_hooks)) == before
