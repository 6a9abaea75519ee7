"""A storage that prints a line per byte."""

import torch

value = torch.randn(250_000).untyped_storage()
while True:
    step = 0  # @bp:here
    step += 1
