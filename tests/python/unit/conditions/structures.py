"""Healthy trainings that are built in ways that look like structural faults."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import nn
from unit.conditions.trainings import blobs, fit, mlp


def distillation() -> None:
    """A teacher in eval mode and without gradient, temperatures, soft targets."""
    x, y = blobs()
    teacher, student = mlp(10, 32, 4).eval(), mlp(10, 16, 4)
    optimizer = torch.optim.Adam(student.parameters(), lr=1e-2)

    def loss_of() -> torch.Tensor:
        with torch.no_grad():
            soft = F.softmax(teacher(x) / 2, 1)
        scores = student(x)
        hard = F.cross_entropy(scores, y, label_smoothing=0.1)
        return hard + F.kl_div(F.log_softmax(scores / 2, 1), soft, reduction="batchmean")

    fit(optimizer, loss_of, 40)


def pointer() -> None:
    """Attention weights from softmax, and later log_softmax over something else."""
    keys, query, head = nn.Linear(6, 8), nn.Parameter(torch.randn(8)), nn.Linear(8, 3)
    optimizer = torch.optim.Adam([*keys.parameters(), query, *head.parameters()], lr=1e-2)
    x, y = torch.randn(32, 5, 6), torch.randint(0, 3, (32,))

    def loss_of() -> torch.Tensor:
        inner = keys(x)
        weights = (inner @ query).softmax(1)
        return F.cross_entropy(head((weights.unsqueeze(2) * inner).sum(1)), y)

    fit(optimizer, loss_of, 40)


def mixture() -> None:
    """Log of a weighted sum of probabilities, as mixtures of experts and of Gaussians have it."""
    x, y = blobs()
    gate, first, second = mlp(10, 2), mlp(10, 4), mlp(10, 4)
    model = nn.ModuleList([gate, first, second])

    def loss_of() -> torch.Tensor:
        weights = gate(x).softmax(1)
        mixed = weights[:, :1] * first(x).softmax(1) + weights[:, 1:] * second(x).softmax(1)
        return F.nll_loss(mixed.log(), y)

    fit(torch.optim.Adam(model.parameters(), lr=1e-2), loss_of, 40)


def pairwise_ranking() -> None:
    """All pairs on purpose."""
    model = nn.Linear(5, 1)
    x, relevance = torch.randn(24, 5), torch.randn(24)

    def loss_of() -> torch.Tensor:
        score = model(x).squeeze(1)
        better = relevance.unsqueeze(1) > relevance
        return F.softplus(-(score.unsqueeze(1) - score))[better].mean()

    fit(torch.optim.SGD(model.parameters(), lr=0.1), loss_of, 40)


def broadcasts() -> None:
    """Masks, scales and biases of all shapes, with as many rows as columns."""
    x, y = torch.randn(16, 16), torch.randn(16, 16)
    scale, bias = nn.Parameter(torch.ones(16, 1)), nn.Parameter(torch.zeros(16))
    layer = nn.Linear(16, 16)
    weights, mask, column = torch.rand(16), torch.rand(16, 1) > 0.2, torch.rand(16, 1)
    optimizer = torch.optim.Adam([scale, bias, *layer.parameters()], lr=1e-2)

    def loss_of() -> torch.Tensor:
        out = layer(x) * scale + bias
        error = (out - y) ** 2 * mask * weights * column
        return error.mean() + (out.mean(1, keepdim=True) - 0.1).pow(2).mean() + 1e-3 * (out**2).sum()

    fit(optimizer, loss_of, 40)


def contrastive() -> None:
    model = mlp(8, 16, 8)
    x = torch.randn(32, 8)

    def loss_of() -> torch.Tensor:
        one = F.normalize(model(x + 0.1 * torch.randn_like(x)), dim=1)
        two = F.normalize(model(x + 0.1 * torch.randn_like(x)), dim=1)
        return F.cross_entropy(one @ two.T / 0.2, torch.arange(32))

    fit(torch.optim.Adam(model.parameters(), lr=1e-3), loss_of, 40)


class Experts(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.experts = nn.ModuleList(nn.Linear(10, 4) for _ in range(6))
        self.spare = nn.Linear(10, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        # One expert is chosen for a whole batch; some are never chosen, and the spare is no more than that.
        return self.experts[int(torch.randint(0, 4, ()))](x)


def experts() -> None:
    x, y = blobs()
    model = Experts()
    fit(torch.optim.Adam(model.parameters(), lr=1e-2), lambda: F.cross_entropy(model(x), y), 60)


class LowRank(nn.Module):
    """An adapter that begins as nothing: all rows of its second matrix are equal at first."""

    def __init__(self, inner: nn.Linear, rank: int = 4) -> None:
        super().__init__()
        self.inner = inner.requires_grad_(False)
        self.a = nn.Parameter(torch.randn(rank, inner.in_features) * 0.1)
        self.b = nn.Parameter(torch.zeros(inner.out_features, rank))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.inner(x) + x @ self.a.T @ self.b.T


def adapters() -> None:
    x, y = blobs()
    model = nn.Sequential(LowRank(nn.Linear(10, 16)), nn.ReLU(), LowRank(nn.Linear(16, 4)))
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-2)
    fit(optimizer, lambda: F.cross_entropy(model(x), y), 60)


def frozen_norms() -> None:
    """Batch norms that are kept in eval mode, set again after each train()."""
    x, y = blobs()
    model = nn.Sequential(nn.Linear(10, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.1), nn.Linear(16, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(5):
        model.train()
        model[1].eval()
        fit(optimizer, lambda: F.cross_entropy(model(x), y), 6)
        model.eval()
        with torch.no_grad():
            model(x)


def eval_from_the_start() -> None:
    x, y = blobs()
    model = nn.Sequential(nn.Linear(10, 16), nn.Dropout(0.5), nn.Linear(16, 4)).eval()
    fit(torch.optim.SGD(model.parameters(), lr=0.1), lambda: F.cross_entropy(model(x), y), 30)


def evaluation_before_the_step() -> None:
    x, y = blobs()
    model = nn.Sequential(nn.Linear(10, 16), nn.Dropout(0.5), nn.Linear(16, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(20):
        model.train()
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        model.eval()
        with torch.no_grad():
            model(x)
        optimizer.step()


def truncated_backpropagation() -> None:
    """A state that is carried over steps, detached, and backward over five of them at a time."""
    cell, head = nn.GRUCell(4, 8), nn.Linear(8, 1)
    optimizer = torch.optim.Adam([*cell.parameters(), *head.parameters()], lr=1e-3)
    state = torch.zeros(16, 8)
    for _ in range(15):
        state = state.detach()
        losses = []
        for _ in range(5):
            state = cell(torch.randn(16, 4), state)
            losses.append(head(state).pow(2).mean())
        loss = torch.stack(losses).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def episodes() -> None:
    """Log-probabilities that are kept through an episode and thrown away after its step."""

    class Policy(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.net = mlp(4, 16, 2)
            self.saved: list[torch.Tensor] = []

        def forward(self, state: torch.Tensor) -> torch.Tensor:
            choice = torch.distributions.Categorical(logits=self.net(state))
            action = choice.sample()
            self.saved.append(choice.log_prob(action))
            return action

    policy = Policy()
    optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
    for episode in range(20):
        for _ in range(5 + episode):
            policy(torch.randn(4))
        returns = torch.randn(5 + episode)
        loss = -(torch.stack(policy.saved) * returns).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        policy.saved.clear()


def meters() -> None:
    """Numbers and detached tensors that are summed and listed."""
    x, y = blobs()
    model = mlp(10, 16, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    total, last, history = 0.0, torch.zeros(()), []
    for _ in range(30):
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
        last = last + loss.detach()
        history.append(loss.detach())
    assert total > 0
    assert last > 0


def shared_graph() -> None:
    """Two losses of one forward, one after the other."""
    x, y = blobs()
    body, one, two = mlp(10, 16), nn.Linear(16, 4), nn.Linear(16, 1)
    optimizer = torch.optim.Adam([*body.parameters(), *one.parameters(), *two.parameters()], lr=1e-2)
    for _ in range(30):
        features = torch.relu(body(x))
        optimizer.zero_grad()
        F.cross_entropy(one(features), y).backward(retain_graph=True)
        (two(features).squeeze(1) - y.float()).pow(2).mean().backward()
        optimizer.step()


def gradient_penalty() -> None:
    """Gradients of gradients, with respect to an input that a module keeps."""

    class Equation(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.net = mlp(1, 16, 1, activation=nn.Tanh)
            self.points = torch.linspace(0, 1, 20).unsqueeze(1).requires_grad_()

        def forward(self) -> torch.Tensor:
            u = self.net(self.points)
            (slope,) = torch.autograd.grad(u.sum(), self.points, create_graph=True)
            return (slope + u).pow(2).mean() + (u[0] - 1).pow(2).mean()

    model = Equation()
    fit(torch.optim.Adam(model.parameters(), lr=1e-2), model, 40)


def head_without_optimizer() -> None:
    """Only a head is trained; the body's gradients are computed and not used."""
    x, y = blobs()
    model = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 4))
    fit(torch.optim.SGD(model[2].parameters(), lr=0.1), lambda: F.cross_entropy(model(x), y), 30)


def body_without_gradient() -> None:
    """Features are taken under no_grad; the optimizer has the head only."""
    x, y = blobs()
    body, head = mlp(10, 16), nn.Linear(16, 4)

    def loss_of() -> torch.Tensor:
        with torch.no_grad():
            features = body(x)
        return F.cross_entropy(head(features), y)

    fit(torch.optim.SGD(head.parameters(), lr=0.1), loss_of, 30)


def stop_gradient() -> None:
    """One of two views is detached, as in BYOL and SimSiam."""
    encoder, predictor = mlp(8, 16, 8), mlp(8, 8, 8)
    optimizer = torch.optim.SGD([*encoder.parameters(), *predictor.parameters()], lr=0.05)
    x = torch.randn(32, 8)

    def loss_of() -> torch.Tensor:
        one, two = encoder(x + 0.1), encoder(x - 0.1)
        return -F.cosine_similarity(predictor(one), two.detach()).mean()

    fit(optimizer, loss_of, 30)


def teacher_in_a_list() -> None:
    """A list hides the teacher from parameters(), which is what it is for."""

    class Student(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.teacher = [mlp(10, 4)]
            self.net = mlp(10, 4)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            with torch.no_grad():
                wanted = self.teacher[0](x)
            return (self.net(x) - wanted).pow(2).mean()

    x, model = torch.randn(32, 10), Student()
    fit(torch.optim.SGD(model.parameters(), lr=0.1), lambda: model(x), 30)


def list_in_the_optimizer() -> None:
    """Layers in a plain list that the optimizer was given by hand."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = [nn.Linear(10, 10), nn.Linear(10, 4)]

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.layers[1](torch.relu(self.layers[0](x)))

    x, y = blobs()
    model = Net()
    parameters = [p for layer in model.layers for p in layer.parameters()]
    fit(torch.optim.SGD(parameters, lr=0.1), lambda: F.cross_entropy(model(x), y), 30)


def zero_at_the_end() -> None:
    """A last layer and a position table that begin as zero."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.last = nn.Linear(6, 12), nn.Linear(12, 4)
            self.position = nn.Parameter(torch.zeros(5, 6))
            nn.init.zeros_(self.last.weight)
            nn.init.zeros_(self.last.bias)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.last(torch.relu(self.first(x + self.position))).mean(1)

    model = Net()
    x, y = torch.randn(32, 5, 6), torch.randint(0, 4, (32,))
    fit(torch.optim.SGD(model.parameters(), lr=0.1), lambda: F.cross_entropy(model(x), y), 30)


def as_many_rows_as_columns() -> None:
    """The norms of 8 rows are spread over 8 columns: no table of pairs."""
    model = nn.Linear(10, 8)
    x = torch.randn(8, 10)

    def loss_of() -> torch.Tensor:
        one, two = F.normalize(model(x), dim=1), F.normalize(model(x + 0.1), dim=1)
        return 1 - (one * two).sum(1).mean()

    fit(torch.optim.SGD(model.parameters(), lr=0.1), loss_of, 5)


def episodes_of_pairs() -> None:
    """What an episode keeps with its graphs is gone after its step."""
    policy = mlp(4, 16, 2)
    optimizer = torch.optim.Adam(policy.parameters(), 1e-3)
    memory: list[tuple[torch.Tensor, float]] = []
    for _ in range(20):
        for _ in range(6):
            answer = torch.distributions.Categorical(logits=policy(torch.randn(4)))
            chosen = answer.sample()
            memory.append((answer.log_prob(chosen), float(chosen)))
        loss = -torch.stack([log * reward for log, reward in memory]).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        memory.clear()


def hooks_once() -> None:
    x, y = blobs()
    model = mlp(10, 16, 4)
    model[0].register_forward_hook(lambda module, inputs, output: None)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(20):
        handle = model[2].register_forward_hook(lambda module, inputs, output: None)
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        handle.remove()


def own_function() -> None:
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):  # type: ignore[no-untyped-def]
            ctx.scale = 2.0
            result = x * x
            ctx.save_for_backward(x, result)
            return result

        @staticmethod
        def backward(ctx, gradient):  # type: ignore[no-untyped-def]
            return ctx.scale * ctx.saved_tensors[0] * gradient

    model = mlp(4, 8, 1)
    fit(
        torch.optim.SGD(model.parameters(), lr=0.01), lambda: Square.apply(model(torch.ones(8, 4))).mean(), 20
    )


def cleared_late() -> None:
    """zero_grad() of one optimizer comes long after its step, but before it uses the gradients again."""
    one, two = nn.Linear(4, 4), nn.Linear(4, 1)
    first = torch.optim.SGD(one.parameters(), lr=0.01)
    second = torch.optim.SGD(two.parameters(), lr=0.01)
    x = torch.randn(16, 4)
    for _ in range(30):
        two(one(x)).pow(2).mean().backward()
        second.step()
        second.zero_grad(set_to_none=False)
        one.zero_grad()
        two(one(x)).mean().backward()
        first.step()
        two.zero_grad()


def double_precision() -> None:
    """A model that is all float64, and inputs that it converts by itself."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(4, 1).double()

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.layer(x.double())

    model = Net()
    fit(torch.optim.SGD(model.parameters(), lr=0.01), lambda: model(torch.randn(8, 4)).pow(2).mean(), 20)


STRUCTURES: tuple[Callable[[], None], ...] = (
    distillation,
    pointer,
    mixture,
    pairwise_ranking,
    broadcasts,
    contrastive,
    experts,
    adapters,
    frozen_norms,
    eval_from_the_start,
    evaluation_before_the_step,
    truncated_backpropagation,
    episodes,
    meters,
    shared_graph,
    gradient_penalty,
    head_without_optimizer,
    body_without_gradient,
    stop_gradient,
    teacher_in_a_list,
    list_in_the_optimizer,
    zero_at_the_end,
    hooks_once,
    as_many_rows_as_columns,
    episodes_of_pairs,
    own_function,
    cleared_late,
    double_precision,
)
