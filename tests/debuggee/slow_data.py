"""Trains on data that come slowly: most of a step is a wait. One step takes far longer than the others."""

import sys
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Slow(Dataset):
    def __len__(self):
        return 8 * STEPS

    def __getitem__(self, index):
        time.sleep(0.004)  # @line:decode
        return torch.full((16,), index / 100), index % 4


STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 16
torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
losses = []
mean, rate = torch.zeros(()), torch.tensor(0.1)
for step, (x, y) in enumerate(DataLoader(Slow(), batch_size=8)):  # @line:loader
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    mean = mean.sub(mean - loss.detach(), alpha=rate)  # @line:hidden
    losses.append(loss.item())  # @line:item
    if step == STEPS - 3:
        time.sleep(0.2)
print(" ".join(value.hex() for value in losses))
