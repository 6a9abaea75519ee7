"""A copy of a model has no memory of its own, and keeps what a pass changes."""

from __future__ import annotations

import functools
import threading
from typing import Any

import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

from tensorpeek.probe.shapes import model_copy


class Counter:
    def __init__(self, layer: nn.Module) -> None:
        self.layer = layer
        self.calls = 0


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.same = self.layer
        self.norm = nn.BatchNorm1d(4)
        self.head = nn.Linear(4, 4)
        self.head.weight = self.layer.weight
        self.hidden = [nn.Linear(4, 4)]
        self.helper = Counter(self.layer)
        self.lock = threading.Lock()
        self.history: list[Any] = []
        self.last = self.layer(torch.zeros(2, 4))
        self.bound = self.counted
        self.partial = functools.partial(self.counted, 2)

    def counted(self, by: int = 1) -> int:
        self.helper.calls += by
        return self.helper.calls

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.bound()
        self.partial()
        self.last = self.norm(self.same(x))
        self.history.append(self.last)
        return self.head(self.hidden[0](self.last))


def test_a_pass_without_data_leaves_the_model_as_it_is() -> None:
    net = Net()
    before = {name: value.clone() for name, value in net.state_dict().items()}
    last = net.last
    mode = FakeTensorMode(allow_non_fake_inputs=True)

    copy = model_copy.without_data(net, mode)
    with mode:
        output = copy(mode.from_tensor(torch.zeros(3, 4)))

    assert isinstance(output, FakeTensor)
    assert all(isinstance(value, FakeTensor) for value in (*copy.parameters(), *copy.buffers()))
    assert copy.layer is copy.same is copy.helper.layer
    assert copy.head.weight is copy.layer.weight
    assert copy.helper.calls == 3
    assert isinstance(copy.hidden[0].weight, FakeTensor)
    assert (net.helper.calls, net.history, net.last) == (0, [], last)
    assert all(torch.equal(value, before[name]) for name, value in net.state_dict().items())
    assert net.bound.__self__ is net


def test_a_pass_with_data_shares_parameters_and_writes_to_no_buffer() -> None:
    net = Net()
    before = net.norm.running_mean.clone() if net.norm.running_mean is not None else None
    x = torch.randn(8, 4) + 3

    copy = model_copy.with_shared_parameters(net)
    output = copy(x)

    assert copy.layer.weight is net.layer.weight
    assert net.norm.running_mean is not None
    assert before is not None
    assert torch.equal(net.norm.running_mean, before)
    assert torch.equal(output, net(x))


def test_layers_that_know_their_size_after_a_pass_know_it_in_the_copy_only() -> None:
    net = nn.Sequential(nn.LazyLinear(3))

    copy = model_copy.with_shared_parameters(net)
    assert copy(torch.zeros(2, 5)).shape == (2, 3)

    assert type(net[0]) is nn.LazyLinear
    assert net[0].has_uninitialized_params()


def test_a_model_of_fakes_becomes_one_of_another_mode() -> None:
    with FakeTensorMode():
        net = nn.Linear(4, 5).requires_grad_(False)
    mode = FakeTensorMode()

    copy = model_copy.without_data(net, mode)
    with mode:
        output = copy(torch.zeros(2, 4))

    assert output.fake_mode is mode
    assert output.shape == (2, 5)
    assert isinstance(copy.weight, nn.Parameter)
    assert not copy.weight.requires_grad
