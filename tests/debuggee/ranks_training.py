"""Several processes that train one model together; the first argument names what goes wrong in the last rank."""

import os
import sys
import time
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

fault = sys.argv[1]
seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 60.0
dist.init_process_group("gloo", timeout=timedelta(seconds=seconds))
rank, last = dist.get_rank(), dist.get_world_size() - 1
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
if fault != "alone":
    model = DistributedDataParallel(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
torch.manual_seed(rank)
weight = torch.ones(4)
for step in range(40):
    if fault == "idle" and rank == 0:
        break
    x = torch.randn(16, 4)
    y = x @ weight.unsqueeze(1)
    out = model(x)
    if step == 30 and rank == last and fault in ("nan", "alone"):
        out = torch.sqrt(out - 100)  # @bp:sqrt
    if step == 30 and rank == last and fault == "spike":
        out = out + 1000
    if step == 30 and rank == last and fault == "crash":
        os._exit(9)
    loss = nn.functional.mse_loss(out, y)
    optimizer.zero_grad()
    loss.backward()  # @bp:backward
    optimizer.step()  # @bp:step
if fault == "slow":
    time.sleep(1)
total = sum(p.detach().double().sum() for p in model.parameters())
print(f"rank {rank} ends with {total.item()!r}", flush=True)
dist.destroy_process_group()
