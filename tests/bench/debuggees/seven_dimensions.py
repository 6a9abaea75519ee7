"""A tensor whose print-out has 280 thousand numbers."""

import torch

value = torch.randn([6] * 7)
while True:
    step = 0  # @bp:here
    step += 1
