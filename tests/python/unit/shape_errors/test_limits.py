"""What is not a shape error is left to others, and to explain one runs no code of the user's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset
from unit.shape_errors.explaining import findings_of, text_of

from tensorpeek.probe.shape_errors import rules


def of_the_users_own() -> None:
    raise RuntimeError("the shape of the batch must match: size 4")


def asserted() -> None:
    x = torch.zeros(3)
    assert x.shape == (4,), "wrong shape"


def of_dtypes() -> None:
    nn.Linear(4, 2)(torch.zeros(3, 4, dtype=torch.float64))


def of_devices() -> None:
    nn.Linear(4, 2)(torch.zeros(3, 4, device="meta"))


def of_values() -> None:
    torch.distributions.Categorical(probs=torch.full((4, 3), float("nan")))


def of_a_freed_graph() -> None:
    loss = (nn.Linear(4, 2)(torch.zeros(3, 4)) ** 2).sum()
    loss.backward()
    loss.backward()


def of_a_value_of_a_loss() -> None:
    F.binary_cross_entropy(torch.full((4, 1), 2.0), torch.zeros(4, 1))


def of_unpacking_a_list() -> None:
    a, b, c = [1, 2]
    of_unpacking_a_list.__doc__ = f"{a} {b} {c}"


def of_memory() -> None:
    raise RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate a size of 9 bytes")


@pytest.mark.parametrize(
    "program",
    [
        of_the_users_own,
        asserted,
        of_dtypes,
        of_devices,
        of_values,
        of_a_freed_graph,
        of_a_value_of_a_loss,
        of_unpacking_a_list,
        of_memory,
    ],
)
def test_other_errors_are_not_about_shapes(program: Callable[[], None]) -> None:
    assert findings_of(program, "shape") == []


class Told(Exception):
    pass


class Secretive(nn.Module):
    """Whatever is asked of it beside its forward pass is seen."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(3, 2)
        self.asked: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name not in ("fc", "asked"):
            self.asked.append(name)
        return super().__getattr__(name)

    @property
    def width(self) -> int:
        self.asked.append("width")
        return 3

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.fc(x[:, : self.fc.in_features + 1])


class Counted(Dataset[torch.Tensor]):
    asked = 0

    def __len__(self) -> int:
        Counted.asked += 1
        return 4

    def __getitem__(self, index: int) -> torch.Tensor:
        return torch.zeros(4)


def test_no_code_of_the_users_runs() -> None:
    model, hooked = Secretive(), []
    model.fc.register_forward_hook(lambda *_: hooked.append(1))
    loader = DataLoader(Counted(), batch_size=2)
    seen: list[object] = []

    def train() -> None:
        for x in loader:
            seen[:] = [Counted.asked, [*model.asked]]
            model(x)

    (finding,) = findings_of(train, "shape")
    assert "3 features" in finding["message"]
    assert [Counted.asked, model.asked, hooked] == [*seen, []]


def test_nothing_is_counted_in_random_states_or_versions() -> None:
    x, net = torch.randn(4, 5), nn.Sequential(nn.Dropout(0.5), nn.Linear(5, 3))
    net.eval()
    states: list[torch.Tensor] = []

    def train() -> None:
        states.append(torch.get_rng_state())
        (net(x) @ torch.zeros(4, 3)).sum().backward()

    assert len(findings_of(train, "shape")) == 1
    assert torch.equal(states[0], torch.get_rng_state())
    assert x._version == 0


def test_a_rule_that_fails_leaves_a_plainer_word(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(found: object, sizes: object) -> None:
        raise Told

    monkeypatch.setattr(rules, "RULES", (broken,))

    def program() -> None:
        a, b = torch.zeros(2, 3), torch.zeros(4)
        a + b

    (finding,) = findings_of(program, "shape")
    assert "`a` [2, 3] and `b` [4] do not fit" in finding["message"]


def test_a_tensor_that_was_passed_on_is_followed_to_its_line() -> None:
    def inner(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a @ b

    def program() -> None:
        queries = torch.zeros(2, 3)
        keys = torch.zeros(2, 3)
        inner(queries, b=keys)

    (finding,) = findings_of(program, "shape")
    assert "`a` [2, 3] is made here, as `queries`" in text_of(finding)
    assert len({related["line"] for related in finding["related"]}) == 2


def test_the_way_to_an_operand_is_told_with_its_layers() -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = nn.Linear(4, 6), nn.Linear(5, 2)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            x = torch.relu(self.first(x))
            return self.second(x)

    (finding,) = findings_of(lambda: Net()(torch.zeros(3, 4)), "shape")
    assert finding["module"] == "second"
    way = "\n".join(finding["evidence"])
    assert "linear (first, line " in way
    assert way.index("→ [3, 6]") < way.index("relu → [3, 6]") < way.index("torch says")


class Tagged(torch.Tensor):
    """A subclass that torch hands everything to."""


def test_subclasses_of_tensors_are_named_too() -> None:
    def program() -> None:
        a = torch.zeros(2, 3).as_subclass(Tagged)
        b = torch.zeros(4).as_subclass(Tagged)
        a + b

    (finding,) = findings_of(program, "shape")
    assert "`a` [2, 3] and `b` [4]" in finding["message"]


def one_of_several_in_a_line() -> None:
    wide = torch.randn(3, 4)
    wide.abs(); wide @ wide; wide.sum()  # fmt: skip # noqa: E702


def test_the_statement_of_a_line_that_failed_is_told() -> None:
    (finding,) = findings_of(one_of_several_in_a_line, "shape")
    assert finding["message"].startswith("`wide @ wide`")
