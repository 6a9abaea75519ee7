from __future__ import annotations

import pytest
import torch


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (torch.float32, "torch.float32"),
        (torch.device("cuda:0"), "cuda:0"),
        (torch.strided, "torch.strided"),
        (torch.Size([64, 10]), "[64, 10] 640 elements"),
        (torch.Size([3]), "[3]"),
        (torch.Size([]), "[]"),
        (torch.Generator().manual_seed(42), "Generator cpu seed 42"),
        (torch.zeros(100_000).untyped_storage(), "UntypedStorage 400 KB cpu"),
        (torch.zeros(0).untyped_storage(), "UntypedStorage 0 B cpu"),
    ],
)
def test_small_things_say_the_word(say, value, text):
    assert say(value) == text


@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
def test_typed_storages_say_their_dtype(say):
    assert say(torch.zeros(10).storage()) == "TypedStorage float32 40 B cpu"


def test_storages_list_facts_and_not_bytes(children, reached):
    storage = torch.zeros(100_000).untyped_storage()
    rows = children(storage)
    assert list(rows) == ["bytes", "device", "resizable"]
    assert reached(rows["bytes"], storage) == 400_000


def test_a_generators_state_is_untouched(say):
    generator = torch.Generator().manual_seed(1)
    before = generator.get_state()
    say(generator)
    assert torch.equal(before, generator.get_state())


def test_graph_nodes_say_where_the_gradient_goes(say, children, reached):
    weight = torch.ones(3, requires_grad=True)
    node = (weight * 2).sum().grad_fn
    assert say(node) == "SumBackward0 → MulBackward0"
    assert say(node.next_functions[0][0]) == "MulBackward0 → AccumulateGrad"
    row = children(node)["[0]"]
    assert reached(row, node) is row.value


def test_custom_functions_are_nodes_too(say):
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, gradient):
            return gradient * 2

    result = Double.apply(torch.ones(3, requires_grad=True))
    assert say(result.grad_fn) == "DoubleBackward → AccumulateGrad"


def test_a_property_of_the_users_is_not_run(say):
    class Lookalike:
        metadata = 1

        @property
        def next_functions(self):
            raise AssertionError("was run")

        def __repr__(self):
            return "a lookalike"

    assert say(Lookalike()) == "a lookalike"


def test_a_property_over_a_nodes_own_is_not_run(say):
    class Hiding(torch.autograd.function.BackwardCFunction):
        @property
        def next_functions(self):
            raise AssertionError("was run")

        def __repr__(self):
            return "hiding"

    assert say(Hiding()) == "hiding"


def test_a_leaf_of_the_graph_leads_to_its_tensor(children, reached):
    weight = torch.ones(3, requires_grad=True)
    leaf = (weight * 2).grad_fn.next_functions[0][0]
    row = children(leaf)["variable"]
    assert row.value is reached(row, leaf) is weight
