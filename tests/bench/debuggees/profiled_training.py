"""Trains in blocks, each other one profiled, and prints what a step of each costs.

`profiled_training.py cnn|transformer BLOCKS`: JSON, seconds of processor time for a step: {"bare": […], …}
"""

import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "python_backend"))

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from tensorpeek.probe.profiling.profiler import Profiler

_, kind, blocks = sys.argv
STEPS = 12
SETTLING_S = 1.2
"""Before a block is counted: what is done once, the step in which calls are seen, and the first writing."""
torch.set_num_threads(1)
torch.manual_seed(0)


class SlowImages(Dataset):
    def __len__(self):
        return 8 * STEPS

    def __getitem__(self, index):
        total = 0.0
        for k in range(9000):
            total += (k * index) % 7 * 0.5
        return torch.full((3, 32, 32), total / 1e5), index % 10


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 16, 3), nn.ReLU(), nn.Conv2d(16, 16, 3), nn.ReLU())
        self.head = nn.Linear(16, 10)

    def forward(self, x):
        return self.head(self.body(x).mean((2, 3)))


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(128, 4, 256, batch_first=True)
        self.body = nn.TransformerEncoder(layer, 2)
        self.head = nn.Linear(128, 10)

    def forward(self, x):
        return self.head(self.body(x).mean(1))


model = Network() if kind == "cnn" else Transformer()
optimizer = torch.optim.AdamW(model.parameters())
words = [(torch.randn(48, 128), number % 10) for number in range(8 * STEPS)]
data = SlowImages() if kind == "cnn" else words


def train() -> None:
    for x, y in DataLoader(data, batch_size=8):
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def block() -> float:
    settled = time.perf_counter() + SETTLING_S
    while time.perf_counter() < settled:
        train()
    begun = time.process_time()
    train()
    return (time.process_time() - begun) / STEPS


taken = {"bare": [], "profiled": []}
block()
for turn in range(int(blocks)):
    for name in ("bare", "profiled") if turn % 2 else ("profiled", "bare"):
        if name == "bare":
            taken[name].append(block())
            continue
        profiler = Profiler("", [], None, 0, lambda record: None, lambda steps, is_in_window: None)
        profiler.start()
        taken[name].append(block())
        profiler.end("ended")
print(json.dumps(taken))
