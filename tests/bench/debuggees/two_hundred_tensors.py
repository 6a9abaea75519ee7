"""Two hundred tensors in a frame, 1e8 elements in all, the largest a hundred times the smallest."""

import torch

torch.set_num_threads(1)
ELEMENTS = 100_000_000
sizes = torch.logspace(0, 2, 200, dtype=torch.float64)
for number, size in enumerate((sizes / sizes.sum() * ELEMENTS).long().tolist()):
    globals()[f"tensor_{number}"] = torch.randn(size)
while True:
    step = 0  # @bp:here
    step += 1
