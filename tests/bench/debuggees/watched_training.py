"""Trains one block per byte that the benchmark sends, with every condition on or without us.

`watched_training.py PORT small|large bare|watched`
"""

import json
import socket
import sys
import time

import torch
from torch import nn

STEPS = {"small": 50, "large": 5}

torch.set_num_threads(1)
torch.manual_seed(0)
_, port, size, peer = sys.argv
width, depth, rows = (64, 2, 32) if size == "small" else (256, 4, 128)
layers: list[nn.Module] = [nn.Linear(32, width), nn.ReLU()]
for _ in range(depth - 1):
    layers += [nn.Linear(width, width), nn.ReLU()]
model = nn.Sequential(*layers, nn.Linear(width, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.001, momentum=0.9)
inputs, targets = torch.randn(rows, 32), torch.randint(0, 10, (rows,))
training = None
if peer == "watched":
    from tensorpeek.catalogue.conditions import CONDITIONS
    from tensorpeek.catalogue.settings import parse_settings
    from tensorpeek.probe.training.training import TRAINING as training

    training.configure({info.id: parse_settings(info, "") for info in CONDITIONS}, budget_percent=1)
    training.start()


def train_step() -> None:
    loss = nn.functional.cross_entropy(model(inputs), targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def train_block() -> dict[str, float]:
    wall, cpu = time.perf_counter(), time.thread_time()
    for _ in range(STEPS[size]):
        train_step()
    taken = {"wall": time.perf_counter() - wall, "cpu": time.thread_time() - cpu}
    return {clock: seconds / STEPS[size] for clock, seconds in taken.items()}


with socket.create_connection(("127.0.0.1", int(port))) as commander:
    idle_since = time.perf_counter()
    while commander.recv(1):
        if training is not None:
            # The time in which the others train earns no budget.
            training.stopped_for(time.perf_counter() - idle_since)
        commander.sendall(json.dumps(train_block()).encode() + b"\n")
        idle_since = time.perf_counter()
if training is not None:
    print(
        f"{size}: {training.overhead_percent:.2f} % by our own clock in {training.clock.step} steps",
        training.problems,
        [finding["title"] for finding in training.findings],
        file=sys.stderr,
    )
