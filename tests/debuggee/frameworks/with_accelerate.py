"""Accelerate with accumulated and clipped gradients, and evaluation between."""

import torch
from accelerate import Accelerator
from told import tell
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def train(fault):
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
    x = torch.randn(256, 8)
    y = x[:, :1] * 0.5 + 0.1 * torch.randn(256, 1)
    net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
    optimizer = torch.optim.AdamW(net.parameters(), 1e-3)
    loader = DataLoader(TensorDataset(x, y), 16)
    net, optimizer, loader = accelerator.prepare(net, optimizer, loader)
    losses = []
    for _ in range(7):
        net.train()
        for x, y in loader:
            with accelerator.accumulate(net):
                out = net(x)
                if fault == "nan" and len(losses) == 91:
                    out = torch.sqrt(out - 100)  # @bp:sqrt
                if fault == "spike" and len(losses) == 91:
                    out = out * 1000
                loss = nn.functional.mse_loss(out, y)
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(net.parameters(), 1.0)
                optimizer.step()
                optimizer.zero_grad()
                losses.append(loss.item())
        net.eval()
        with torch.no_grad():
            for x, y in loader:
                nn.functional.mse_loss(net(x), y).item()
    return losses, accelerator.unwrap_model(net)


tell(train, "nan", "spike")
