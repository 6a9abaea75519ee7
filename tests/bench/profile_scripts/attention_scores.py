"""Attention whose scores are far larger than what is made of them."""

import torch
from torch import nn

torch.set_num_threads(1)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(256, 256, bias=False)

    def forward(self, x):
        q = self.project(x[:, :4])
        with torch.no_grad():
            keys = x.detach()
            pairs = keys @ keys.transpose(1, 2)  # @hot
            bias = pairs[:, :4].mean(2, keepdim=True)
        return torch.softmax(q + bias, dim=-1)


model = Attention()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
data = torch.randn(8, 700, 256)
for _ in range(40):
    loss = model(data).square().sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
