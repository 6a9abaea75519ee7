"""A metric asks for each element by itself."""

import torch
from torch import nn

torch.set_num_threads(1)
model = nn.Linear(32, 10)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
right = 0
for _ in range(50):
    x, y = torch.randn(256, 32), torch.randint(10, (256,))
    output = model(x)
    loss = nn.functional.cross_entropy(output, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    best = output.argmax(1)
    for row in range(len(y)):
        right += int(best[row].item() == y[row].item())  # @hot
