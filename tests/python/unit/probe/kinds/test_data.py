from __future__ import annotations

import pytest
import torch
from torch.utils.data import ConcatDataset, DataLoader, Dataset, Subset, TensorDataset


class Refusing(Dataset):
    def __len__(self):
        raise AssertionError("__len__ was run")

    def __getitem__(self, index):
        raise AssertionError("__getitem__ was run")


TENSORS = TensorDataset(torch.zeros(100, 28, 28), torch.arange(100))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (TENSORS, "TensorDataset 100 of (f32[100,28,28], i64[100])"),
        (Subset(TENSORS, range(50)), "Subset 50 of TensorDataset 100"),
        (Subset(TENSORS, [1, 2]), "Subset 2 of TensorDataset 100"),
        (ConcatDataset([TENSORS, TENSORS]), "ConcatDataset 200 of 2 datasets"),
        (DataLoader(TENSORS, 64, shuffle=True), "DataLoader batch 64 shuffled of TensorDataset 100"),
        (
            DataLoader(TENSORS, 64, num_workers=2, drop_last=True),
            "DataLoader batch 64 2 workers drop_last of TensorDataset 100",
        ),
        (DataLoader([1, 2, 3], 2), "DataLoader batch 2 of list 3"),
    ],
)
def test_says_batch_order_workers_and_source(say, value, text):
    assert say(value) == text


def test_never_asks_the_users_dataset(say):
    loader = DataLoader(Refusing(), 4)
    assert say(loader) == "DataLoader batch 4 of Refusing"


def test_making_the_line_starts_no_workers_and_draws_no_numbers(say):
    before = torch.get_rng_state()
    loader = DataLoader(TENSORS, 64, shuffle=True, num_workers=2)
    say(loader)
    assert loader._iterator is None
    assert torch.equal(before, torch.get_rng_state())
