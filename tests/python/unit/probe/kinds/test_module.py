from __future__ import annotations

import pytest
import torch
from torch import nn


class Net(nn.Module):
    scale = 2.0

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(784, 128)
        self.norm = nn.BatchNorm1d(128)
        self.body = nn.Sequential(nn.ReLU(), nn.Linear(128, 10))
        self.blocks = nn.ModuleDict({"a-b": nn.Linear(2, 2), "plain": nn.Linear(2, 2)})
        self.token = nn.Parameter(torch.zeros(3))
        self.settings = {"a": 1}

    @property
    def device(self):
        raise AssertionError("a property was run")

    def __getattr__(self, name):
        if name.startswith("_") or name in ("fc", "norm", "body", "blocks", "token", "num_batches_tracked"):
            return super().__getattr__(name)
        raise AssertionError(f"{name} was asked for")


@pytest.fixture
def net():
    torch.manual_seed(0)
    return Net()


def test_counts_parameters_and_buffers_with_their_bytes(say, net):
    assert say(net) == "Net 102k params train 408 KB + 3 buffers 1.03 KB"


def test_says_the_mode_and_what_differs_from_it(say, net):
    net.norm.eval()
    assert "train (1 in eval)" in say(net)
    net.eval()
    assert " eval " in say(net)
    net.norm.train()
    assert "eval (1 in train)" in say(net)


def test_says_the_frozen_share(say, net):
    net.fc.requires_grad_(False)
    assert "98.5 % frozen" in say(net)
    assert say(net.fc).endswith("402 KB frozen")


def test_shared_parameters_count_once(say):
    layer = nn.Linear(10, 10)
    assert say(nn.Sequential(layer, nn.ReLU(), layer)) == "Sequential 110 params train 440 B"


def test_broken_weights_are_an_alarm_that_names_them(answers, net):
    with torch.no_grad():
        net.fc.weight[3, 4] = float("nan")
    line = answers.first(net)
    assert line["alarm"] == "NaN 1"
    assert line["text"].startswith("NaN 1 in fc.weight Net 102k params")


def test_other_devices_and_lazy_parameters_are_said(say):
    assert say(nn.Linear(3, 4, device="meta")).endswith("64 B meta")
    assert "2 uninitialized" in say(nn.LazyLinear(4))


def test_rows_yield_what_they_show(children, reached, net):
    net.fc.register_forward_hook(print)
    for value in (net, net.fc, net.norm, net.body, net.blocks):
        rows = {name: row for name, row in children(value).items() if name not in ("hooks", "all attributes")}
        for row in rows.values():
            assert reached(row, value) is row.value
    assert list(children(net))[:6] == ["fc", "norm", "body", "blocks", "token", "training"]
    hooks = children(children(net.fc)["hooks"].value)
    (hook,) = hooks.values()
    assert hook.value is print
    assert reached(hook, net.fc) is print


def test_a_registered_name_hidden_by_a_class_attribute_is_still_reached(children, reached):
    class Hiding(nn.Module):
        fc = "in the way"

        def __init__(self):
            super().__init__()
            self._modules["fc"] = nn.Linear(1, 1)

    hiding = Hiding()
    row = children(hiding)["fc"]
    assert reached(row, hiding) is hiding._modules["fc"]


def test_half_made_modules_have_a_line(say):
    assert say(Net.__new__(Net)) == "Net eval"


def test_says_dtypes_other_than_f32(say):
    assert say(nn.Linear(64, 1, bias=False).bfloat16()) == "Linear 64 params train 128 B bf16"
    assert say(nn.Sequential(nn.Linear(1, 1), nn.Linear(1, 1).double())).endswith("24 B f32, f64")
