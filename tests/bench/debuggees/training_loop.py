"""Trains a small perceptron, one block per byte that the benchmark sends, and answers with its times."""

import json
import socket
import sys
import time

import torch
from torch import nn

STEPS = 20

torch.set_num_threads(1)
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
inputs, targets = torch.randn(32, 16), torch.randn(32, 1)


def train_step() -> None:
    loss = nn.functional.mse_loss(model(inputs), targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def train_block() -> dict[str, float]:
    wall, cpu = time.perf_counter(), time.thread_time()
    for _ in range(STEPS):
        train_step()
    return {"wall": time.perf_counter() - wall, "cpu": time.thread_time() - cpu}


with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as commander:
    while commander.recv(1):
        commander.sendall(json.dumps(train_block()).encode() + b"\n")
