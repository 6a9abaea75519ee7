"""Reaches one line many times per byte that the benchmark sends, and answers with the times of that."""

import json
import socket
import sys
import time

import torch

STEPS = 20
HITS = 50

torch.set_num_threads(1)
loss = (torch.ones(4, requires_grad=True) * 2).mean()


def reach_it() -> None:
    found = loss
    for _ in range(HITS):
        found = loss  # @bp:watched
    assert found is loss


def block() -> dict[str, float]:
    wall, cpu = time.perf_counter(), time.thread_time()
    for _ in range(STEPS):
        reach_it()
    return {"wall": time.perf_counter() - wall, "cpu": time.thread_time() - cpu}


with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as commander:
    while commander.recv(1):
        commander.sendall(json.dumps(block()).encode() + b"\n")
