"""An LSTM over a sine wave, under a dispatch mode that logs operators."""

from __future__ import annotations

from typing import Any, Callable

import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from witness import Witness

witness = Witness(seed=4)


class OperatorLog(TorchDispatchMode):
    """Logs each operator that reaches the dispatcher."""

    def __torch_dispatch__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        witness.log[f"dispatched {func}"] += 1
        return func(*args, **(kwargs or {}))


lstm = nn.LSTM(1, 12, num_layers=2, dropout=0.2, batch_first=True)
head = nn.Linear(12, 1)
optimizer = torch.optim.RMSprop([*lstm.parameters(), *head.parameters()], lr=1e-2)
wave = torch.sin(torch.arange(0, 8, 0.1, dtype=torch.float64)).float()
windows = wave.unfold(0, 20, 5).unsqueeze(-1)
past, future = windows[:, :-1], windows[:, 1:]


def train_step(logged: bool) -> float:
    outputs, (hidden, cell) = lstm(past)
    witness.must_die(outputs)
    predicted = head(outputs)
    loss = nn.functional.mse_loss(predicted, future)  # @bp:unrolled
    loss.backward()
    if logged:
        with OperatorLog():
            scaled = hidden.detach() * cell.detach()
            witness.log["positive"] += int(scaled.sum() > 0)  # @bp:dispatch
    optimizer.step()
    optimizer.zero_grad()
    return loss.item()


for step in range(6):
    witness.loss(train_step(logged=step % 2 == 1))

witness.weights(lstm, head)
witness.watch(wave=wave, past=past, future=future)
witness.report()
