"""Tensors of a few kinds in one frame, changed by each step."""

import torch


def main():
    torch.manual_seed(0)
    small = torch.arange(6, dtype=torch.float32).reshape(2, 3)
    broken = torch.tensor([1.0, float("nan"), float("inf")])
    weight = torch.nn.Parameter(torch.randn(4, 4))
    large = torch.zeros(8_000_000)
    batch = {"x": torch.ones(2, 2), "y": [torch.zeros(3)]}
    number = 7
    small = small + 1  # @bp:here
    number += 1
    return small, broken, weight, large, batch, number  # @bp:return


main()
