"""Healthy trainings of many kinds, small enough for a test."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

Loss = Callable[[], torch.Tensor]


def fit(optimizer: torch.optim.Optimizer, loss_of: Loss, steps: int = 120) -> float:
    """The ordinary loop; gives the last loss."""
    value = math.nan
    for _ in range(steps):
        loss = loss_of()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        value = loss.item()
    return value


def blobs(rows: int = 256, width: int = 10, classes: int = 4) -> tuple[torch.Tensor, torch.Tensor]:
    labels = torch.randint(0, classes, (rows,))
    centres = torch.randn(classes, width) * 2
    return centres[labels] + torch.randn(rows, width), labels


def batches(*tensors: torch.Tensor, size: int = 32) -> Iterator[Any]:
    while True:
        chosen = torch.randint(0, len(tensors[0]), (size,))
        yield [tensor[chosen] for tensor in tensors]


def mlp(*widths: int, activation: type[nn.Module] = nn.ReLU) -> nn.Sequential:
    layers: list[nn.Module] = []
    for index, (before, after) in enumerate(pairwise(widths)):
        layers += [nn.Linear(before, after)] + [activation()] * (index < len(widths) - 2)
    return nn.Sequential(*layers)


def classifier() -> None:
    x, y = blobs()
    model = mlp(10, 32, 32, 4)
    source = batches(x, y)

    def loss_of() -> torch.Tensor:
        rows, labels = next(source)
        return F.cross_entropy(model(rows), labels)

    fit(torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9), loss_of, 300)


def regression_to_the_end() -> None:
    """Full batch, until the gradients are rounding errors."""
    x = torch.randn(128, 3)
    y = x @ torch.tensor([[1.0], [-2.0], [0.5]]) + 0.3
    model = nn.Linear(3, 1)
    fit(torch.optim.SGD(model.parameters(), lr=0.3), lambda: F.mse_loss(model(x), y), 400)


def adam_to_the_end() -> None:
    """Small oscillations of a loss that is almost nothing."""
    x = torch.randn(128, 4)
    y = x.sum(1, keepdim=True).sin()
    model = mlp(4, 64, 64, 1, activation=nn.Tanh)
    fit(torch.optim.Adam(model.parameters(), lr=1e-2), lambda: F.mse_loss(model(x), y), 500)


def from_zero() -> None:
    x = torch.randn(200, 5)
    y = (x @ torch.randn(5) > 0).float()
    weights = torch.zeros(5, requires_grad=True)
    optimizer = torch.optim.Adam([weights], lr=0.1)
    fit(optimizer, lambda: F.binary_cross_entropy_with_logits(x @ weights, y), 200)


def convolutions() -> None:
    images = torch.rand(64, 3, 12, 12)
    labels = (images[:, 0].mean((1, 2)) > images[:, 1].mean((1, 2))).long()
    model = nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1),
        nn.BatchNorm2d(8),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 3, padding=1),
        nn.BatchNorm2d(16),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Dropout(0.2),
        nn.Linear(16, 2),
    )
    source = batches(images, labels, size=16)

    def loss_of() -> torch.Tensor:
        rows, targets = next(source)
        return F.cross_entropy(model(rows), targets)

    fit(torch.optim.AdamW(model.parameters(), lr=3e-3), loss_of, 80)


class Residual(nn.Module):
    def __init__(self, width: int, scale: float) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.inner = mlp(width, 2 * width, width, activation=nn.GELU)
        self.scale = nn.Parameter(torch.full((width,), scale))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.scale * self.inner(self.norm(x))


def layer_scale() -> None:
    """Blocks that begin as nothing, as in CaiT and ConvNeXt."""
    x, y = blobs(width=16)
    model = nn.Sequential(nn.Linear(16, 16), *[Residual(16, 1e-6) for _ in range(6)], nn.Linear(16, 4))
    fit(torch.optim.AdamW(model.parameters(), lr=1e-3), lambda: F.cross_entropy(model(x), y), 80)


def transformer() -> None:
    """Warm-up, clipping, padding mask, tied weights, autocast."""
    embedding = nn.Embedding(40, 16)
    layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.1, batch_first=True)
    encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
    head = nn.Linear(16, 40, bias=False)
    head.weight = embedding.weight
    model = nn.ModuleList([embedding, encoder, head])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, step / 30))
    tokens = torch.randint(1, 40, (32, 12))
    padding = torch.zeros(32, 12, dtype=torch.bool)
    padding[::2, 9:] = True
    source = batches(tokens, padding, size=8)
    for _ in range(80):
        ids, mask = next(source)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = head(encoder(embedding(ids), src_key_padding_mask=mask))
            loss = F.cross_entropy(logits.float().transpose(1, 2), ids)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()


def recurrent() -> None:
    wave = torch.sin(torch.arange(0, 60, 0.1))
    windows = wave.unfold(0, 20, 3).unsqueeze(-1)
    lstm, head = nn.LSTM(1, 16, batch_first=True), nn.Linear(16, 1)
    optimizer = torch.optim.RMSprop([*lstm.parameters(), *head.parameters()], lr=5e-3)
    fit(optimizer, lambda: F.mse_loss(head(lstm(windows[:, :-1])[0]), windows[:, 1:]), 100)


def adversarial(steps: int = 200) -> None:
    generator = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2), nn.Tanh())
    critic = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
    ours = torch.optim.Adam(generator.parameters(), lr=1e-3, betas=(0.5, 0.9))
    theirs = torch.optim.Adam(critic.parameters(), lr=1e-3, betas=(0.5, 0.9))
    ones, zeros = torch.ones(32, 1), torch.zeros(32, 1)
    for _ in range(steps):
        real = torch.randn(32, 2) * 0.2 + 0.5
        fake = generator(torch.randn(32, 4))
        d_loss = F.binary_cross_entropy_with_logits(critic(real), ones)
        d_loss = d_loss + F.binary_cross_entropy_with_logits(critic(fake.detach()), zeros)
        theirs.zero_grad()
        d_loss.backward()
        theirs.step()
        g_loss = F.binary_cross_entropy_with_logits(critic(fake), ones)
        ours.zero_grad()
        g_loss.backward()
        ours.step()


def policy_gradient() -> None:
    """A loss of both signs whose noise is larger than itself."""
    policy = mlp(4, 32, 2, activation=nn.Tanh)
    optimizer = torch.optim.Adam(policy.parameters(), lr=3e-3)

    def loss_of() -> torch.Tensor:
        states = torch.randn(32, 4)
        choice = torch.distributions.Categorical(logits=policy(states))
        actions = choice.sample()
        reward = (actions == (states[:, 0] > 0)).float() + 0.5 * torch.randn(32)
        return -(choice.log_prob(actions) * (reward - reward.mean())).mean()

    fit(optimizer, loss_of, 400)


def fine_tuning() -> None:
    """A frozen body, a new head, weight decay, a schedule that ends at zero."""
    x, y = blobs(width=12)
    body, head = mlp(12, 32, 16), nn.Linear(16, 4)
    body.requires_grad_(False)
    optimizer = torch.optim.SGD(head.parameters(), lr=0.05, weight_decay=1e-2)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 150)
    for _ in range(150):
        loss = F.cross_entropy(head(torch.relu(body(x))), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()


def low_precision() -> None:
    """A model that is all bfloat16, with steps that are large enough for it."""
    x, y = blobs()
    model = mlp(10, 32, 4).to(torch.bfloat16)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    fit(optimizer, lambda: F.cross_entropy(model(x.bfloat16()).float(), y), 80)


def scaled(steps: int = 60) -> None:
    """float16 with a GradScaler, whose first scale is too large on purpose."""
    x, y = blobs()
    model = mlp(10, 32, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**24)
    for _ in range(steps):
        with torch.autocast("cpu", dtype=torch.float16):
            loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()


def accumulation() -> None:
    x, y = blobs()
    model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Dropout(0.3), nn.Linear(32, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(240):
        part = slice(step % 8 * 32, step % 8 * 32 + 32)
        (F.cross_entropy(model(x[part]), y[part]) / 8).backward()
        if step % 8 == 7:
            optimizer.step()
            optimizer.zero_grad(set_to_none=False)


def second_order() -> None:
    x = torch.linspace(-1, 1, 50)
    powers = torch.stack([x**degree for degree in range(5)], 1)
    weights = torch.zeros(5, requires_grad=True)
    optimizer = torch.optim.LBFGS([weights], line_search_fn="strong_wolfe")

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = ((powers @ weights - x.sin()) ** 2).mean()
        loss.backward()
        return loss

    for _ in range(8):
        optimizer.step(closure)


def sparse_embedding() -> None:
    table = nn.Embedding(2000, 8, sparse=True)
    head = nn.Linear(8, 2)
    optimizer = torch.optim.SGD([*table.parameters(), *head.parameters()], lr=0.5)

    def loss_of() -> torch.Tensor:
        words = torch.randint(0, 2000, (32, 5))
        return F.cross_entropy(head(table(words).mean(1)), words[:, 0] % 2)

    fit(optimizer, loss_of, 100)


def big_embedding() -> None:
    """Each batch touches a few rows of a table only."""
    table = nn.Embedding(20000, 8)
    head = nn.Linear(8, 2)
    optimizer = torch.optim.SGD([*table.parameters(), *head.parameters()], lr=0.5)

    def loss_of() -> torch.Tensor:
        words = torch.randint(0, 20000, (32, 5))
        return F.cross_entropy(head(table(words).mean(1)), words[:, 0] % 2)

    fit(optimizer, loss_of, 60)


def squashed_output(steps: int = 200) -> None:
    """Images of black and white from a generator that ends with tanh, as it should."""
    pictures = torch.where(torch.rand(64, 36) > 0.3, 1.0, -1.0)
    codes = torch.randn(64, 32)
    model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 36), nn.Tanh())
    fit(torch.optim.Adam(model.parameters(), lr=1e-2), lambda: F.mse_loss(model(codes), pictures), steps)


def noisy_batches() -> None:
    """One sample per step: the loss of each has a size of its own."""
    x, y = blobs(500)
    model = mlp(10, 32, 4)
    source = batches(x, y, size=1)

    def loss_of() -> torch.Tensor:
        row, label = next(source)
        return F.cross_entropy(model(row), label)

    fit(torch.optim.SGD(model.parameters(), lr=0.02), loss_of, 600)


def summed_autoencoder() -> None:
    """A loss that is a sum, large as it is, with Adam."""
    pictures = torch.rand(64, 100)
    model = mlp(100, 32, 8, 32, 100)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    fit(optimizer, lambda: F.mse_loss(torch.sigmoid(model(pictures)), pictures, reduction="sum"), 150)


def prices() -> None:
    """Targets in thousands, as they are; Adam makes its way."""
    x = torch.randn(256, 6)
    price = x.sum(1, keepdim=True) * 40 + 300
    model = mlp(6, 32, 1)
    fit(torch.optim.Adam(model.parameters(), lr=1e-2), lambda: F.mse_loss(model(x), price), 200)


def masked_input() -> None:
    """Missing values that the model itself fills."""
    x, y = blobs()
    x[torch.rand(x.shape) < 0.1] = math.nan

    class Filling(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = mlp(10, 16, 4)

        def forward(self, rows: torch.Tensor) -> torch.Tensor:
            return self.inner(torch.where(rows.isnan(), torch.zeros_like(rows), rows))

    model = Filling()
    fit(torch.optim.Adam(model.parameters(), lr=1e-2), lambda: F.cross_entropy(model(x), y), 40)


def additive_mask() -> None:
    """Scores of attention with −inf where a token must not look."""
    attention = nn.MultiheadAttention(8, 2, batch_first=True)
    mask = torch.full((6, 6), -math.inf).triu(1)
    optimizer = torch.optim.Adam(attention.parameters(), lr=1e-3)
    x = torch.randn(16, 6, 8)

    def loss_of() -> torch.Tensor:
        return F.mse_loss(attention(x, x, x, attn_mask=mask)[0], x.cumsum(1))

    fit(optimizer, loss_of, 60)


def several_stages() -> None:
    """An optimizer whose parameters rest in the first half."""
    x, y = blobs()
    body, head = mlp(10, 16, 16), nn.Linear(16, 4)
    optimizers = [torch.optim.Adam(part.parameters(), lr=1e-2) for part in (body, head)]
    for step in range(80):
        features = body(x).detach() if step < 40 else body(x)
        loss = F.cross_entropy(head(features), y)
        for optimizer in optimizers:
            optimizer.zero_grad()
        loss.backward()
        for optimizer in optimizers:
            optimizer.step()


def hinge() -> None:
    """A loss that is exactly 0 in the end, and gradients with it."""
    x, y = blobs(classes=2)
    model = nn.Linear(10, 1)
    signs = y.float()[:, None] * 2 - 1
    fit(torch.optim.SGD(model.parameters(), lr=0.2), lambda: F.relu(1 - signs * model(x)).mean(), 150)


def one_cycle() -> None:
    x, y = blobs()
    model = mlp(10, 32, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.3, total_steps=120)
    for _ in range(120):
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()


def only_inference() -> None:
    model = mlp(10, 16, 4).eval()
    with torch.no_grad():
        for _ in range(20):
            model(torch.randn(8, 10))


def saliency() -> None:
    """Gradients of the input, and no optimizer."""
    model = mlp(10, 16, 4)
    for _ in range(30):
        x = torch.randn(4, 10, requires_grad=True)
        model(x).max(1).values.sum().backward()


def by_hand() -> None:
    """Weights that the program itself changes, beside an optimizer for other ones."""
    x, y = blobs()
    model, other = mlp(10, 16, 4), nn.Linear(2, 2)
    unused = torch.optim.SGD(other.parameters(), lr=0.1)
    for _ in range(40):
        model.zero_grad()
        F.cross_entropy(model(x), y).backward()
        with torch.no_grad():
            for parameter in model.parameters():
                assert parameter.grad is not None
                parameter -= 0.1 * parameter.grad
    assert unused.param_groups


HEALTHY: tuple[Callable[[], None], ...] = (
    classifier,
    regression_to_the_end,
    adam_to_the_end,
    from_zero,
    convolutions,
    layer_scale,
    transformer,
    recurrent,
    adversarial,
    policy_gradient,
    fine_tuning,
    low_precision,
    scaled,
    accumulation,
    second_order,
    sparse_embedding,
    big_embedding,
    squashed_output,
    noisy_batches,
    summed_autoencoder,
    prices,
    additive_mask,
    several_stages,
    hinge,
    one_cycle,
    only_inference,
    saliency,
    by_hand,
)
