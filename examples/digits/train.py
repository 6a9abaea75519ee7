"""Trains the network of model.py on scikit-learn's digits, in a few seconds on a CPU. Writes no file."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from data import Digits
from model import PrototypeNet
from torch import nn
from torch.utils.data import DataLoader

EPOCHS = 5


def train_epoch(model: nn.Module, loader: DataLoader, optimizer: torch.optim.Optimizer) -> dict[str, float]:
    """One pass over the training images; returns the means of the steps' metrics."""
    model.train()
    history = []
    for batch in loader:
        logits = model(batch["image"])
        loss = F.cross_entropy(logits, batch["label"])
        optimizer.zero_grad()
        loss.backward()
        correct = logits.argmax(dim=1) == batch["label"]
        metrics = {"loss": loss.detach(), "accuracy": correct.float().mean()}
        optimizer.step()  # @bp:step
        history.append(metrics)
    return {name: torch.stack([metrics[name] for metrics in history]).mean().item() for name in metrics}


@torch.no_grad()
def accuracy(model: nn.Module, loader: DataLoader) -> float:
    """The share of images whose digit the model names."""
    model.eval()
    correct = torch.cat([model(batch["image"]).argmax(dim=1) == batch["label"] for batch in loader])
    return correct.float().mean().item()


def main() -> None:
    torch.manual_seed(0)
    training = DataLoader(Digits(train=True), batch_size=64, shuffle=True)
    held_out = DataLoader(Digits(train=False), batch_size=256)
    model = PrototypeNet()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=1e-2)
    for epoch in range(EPOCHS):
        means = train_epoch(model, training, optimizer)
        print(
            f"epoch {epoch}: loss {means['loss']:.3f}, accuracy {means['accuracy']:.3f}, "
            f"held out {accuracy(model, held_out):.3f}"
        )


if __name__ == "__main__":
    main()
