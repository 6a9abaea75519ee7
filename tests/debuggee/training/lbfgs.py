"""A curve fitted by L-BFGS in float64: a closure evaluated many times per step."""

from __future__ import annotations

import torch
from witness import Witness

torch.set_default_dtype(torch.float64)
torch.use_deterministic_algorithms(True)
witness = Witness(seed=6)
x = torch.linspace(-1, 1, 50)
y = 3 * x**3 - x + 0.1 * torch.randn(50)
powers = torch.stack([x**degree for degree in range(5)], dim=1)
coefficients = torch.zeros(5, requires_grad=True)
coefficients.register_hook(lambda _: witness.log.update(["gradient hook"]))
optimizer = torch.optim.LBFGS([coefficients], lr=0.5, max_iter=4, line_search_fn="strong_wolfe")


def closure() -> torch.Tensor:
    optimizer.zero_grad()
    residual = powers @ coefficients - y
    witness.must_die(residual)
    loss = (residual**2).mean()
    loss.backward()  # @bp:closure
    return loss


for step in range(4):
    witness.loss(optimizer.step(closure).item())

witness.facts["coefficients"] = [value.hex() for value in coefficients.tolist()]  # @bp:fitted
witness.watch(x=x, powers=powers, coefficients=coefficients)
witness.report()
