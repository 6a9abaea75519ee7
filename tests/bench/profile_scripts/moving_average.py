"""The average of the weights is kept by arithmetic on large tensors, in a method of a class."""

import torch
from torch import nn

torch.set_num_threads(1)


class Average:
    def __init__(self, model):
        self.kept = [torch.zeros(1000, 1000) for _ in range(2)]
        self.decay = 0.99

    def update(self):
        for number, kept in enumerate(self.kept):
            fresh = kept * self.decay + kept**3 / 7  # @hot
            self.kept[number] = fresh


model = nn.Linear(64, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
average = Average(model)
for _ in range(40):
    loss = model(torch.randn(32, 64)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    average.update()
