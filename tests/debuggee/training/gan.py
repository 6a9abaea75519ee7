"""A generator against a critic: two optimizers, a random generator of its own, and storages freed as FSDP does."""

from __future__ import annotations

import torch
from torch import nn
from witness import Witness

witness = Witness(seed=5)
noise_source = torch.Generator().manual_seed(11)
generator = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
critic = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
generator_optimizer = torch.optim.Adam(generator.parameters(), lr=1e-3, betas=(0.5, 0.9))
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3, betas=(0.5, 0.9))
loss_function = nn.BCEWithLogitsLoss()
real = torch.randn(32, 2) * 0.5 + 1.0
ones, zeros = torch.ones(32, 1), torch.zeros(32, 1)
shard = torch.arange(64.0)
gallery = torch.rand(400, 1000)


def critic_step() -> float:
    fake = generator(torch.randn(32, 4, generator=noise_source)).detach()
    loss = loss_function(critic(real), ones) + loss_function(critic(fake), zeros)
    critic_optimizer.zero_grad()
    loss.backward()  # @bp:critic
    critic_optimizer.step()
    return loss.item()


def generator_step() -> float:
    fake = generator(torch.randn(32, 4, generator=noise_source))
    witness.must_die(fake)
    loss = loss_function(critic(fake), ones)
    generator_optimizer.zero_grad()
    loss.backward()
    generator_optimizer.step()  # @bp:generator
    return loss.item()


def free_and_gather() -> None:
    shard.untyped_storage().resize_(0)
    freed = shard.shape  # @bp:freed
    shard.untyped_storage().resize_(64 * 4)
    torch.arange(64.0, out=shard.view(freed))


for _ in range(4):
    witness.loss(critic_step())
    witness.loss(generator_step())
    free_and_gather()

witness.loss(shard.sum().item())
witness.weights(generator, critic)
witness.generator(noise_source)
witness.loss(gallery.sum().item())
witness.watch(real=real, ones=ones, shard=shard, gallery=gallery)
witness.report()
