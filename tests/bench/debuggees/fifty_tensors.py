"""Fifty tensors in a frame, and lines to step over for ever."""

import torch

torch.set_num_threads(1)
globals().update({f"tensor_{number}": torch.randn(64, 64) for number in range(50)})
while True:
    step = 0  # @bp:here
    step += 1
