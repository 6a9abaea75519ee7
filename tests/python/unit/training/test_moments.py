"""Which moments of real trainings are told, and with what."""

from __future__ import annotations

import sys
import threading
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint
from torch.utils.data import DataLoader, TensorDataset


def _model() -> nn.Sequential:
    return nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))


def _step(model: nn.Module, optimizer: torch.optim.Optimizer) -> None:
    loss = model(torch.randn(5, 3)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def test_the_moments_of_a_step_come_in_order(seen: Any) -> None:
    seen.watch("batch", "module", "loss", "gradients", "update")
    model = _model()
    _step(model, torch.optim.SGD(model.parameters(), 0.1))
    assert seen.kinds == ["batch", *["module"] * 4, "loss", "gradients", "update"]
    assert [call.name for call in seen.of("module")] == ["0", "1", "2", ""]
    loss = seen.of("loss")[0]
    assert loss.name == "loss"
    assert loss.value == pytest.approx(loss.tensor.item())
    assert loss.frame.f_code is _step.__code__
    assert seen.of("gradients")[0] is seen.of("update")[0]
    assert seen.training.clock.step == 1


def test_everything_is_taken_out_again() -> None:
    from tensorpeek.probe.training.training import Training

    module = torch.nn.modules.module
    loader = torch.utils.data.dataloader._BaseDataLoaderIter
    owners = [
        (torch.autograd, "backward"),
        (torch.amp.grad_scaler.GradScaler, "scale"),
        (torch.amp.grad_scaler.GradScaler, "step"),
        (torch.amp.grad_scaler.GradScaler, "update"),
        (loader, "__next__"),
        (loader, "_next_index"),
        (torch, "compile"),
        (nn.Module, "compile"),
    ]
    before = [getattr(owner, name) for owner, name in owners]
    training = Training()
    training.start()
    training.start()
    assert torch.autograd.backward is not before[0]
    training.stop()
    assert [getattr(owner, name) for owner, name in owners] == before
    assert not module._has_any_global_hook()
    optimizers = sys.modules["torch.optim.optimizer"]
    assert not optimizers._global_optimizer_pre_hooks
    assert not optimizers._global_optimizer_post_hooks


def test_the_model_is_on_the_fast_path_after_its_first_call(seen: Any) -> None:
    hooks: list[bool] = []

    class Inner(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            hooks.append(bool(torch.nn.modules.module._has_any_global_hook()))
            return x

    model = nn.Sequential(nn.Linear(3, 1), Inner())
    _step(model, torch.optim.SGD(model.parameters(), 0.1))
    assert hooks == [False]


def test_a_pass_of_evaluation_begins_no_step(seen: Any) -> None:
    seen.watch("batch")
    model = _model()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    with torch.no_grad():
        model(torch.randn(5, 3))
    assert not seen.moments
    _step(model, optimizer)
    assert len(seen.moments) == 1


def test_keywords_of_the_first_call_are_seen(seen: Any) -> None:
    class Net(nn.Module):
        def forward(self, *, ids: torch.Tensor) -> torch.Tensor:
            return ids * 2.0

    seen.watch("batch")
    ids = torch.ones(2)
    Net()(ids=ids)
    assert seen.of("batch")[0].kwargs["ids"] is ids
    assert seen.training.record.kwargs["ids"] is ids


def test_gradients_of_a_closure_are_told_when_they_are_there(seen: Any) -> None:
    model = _model()
    optimizer = torch.optim.LBFGS(model.parameters(), max_iter=3)
    have_gradient: list[bool] = []
    seen.training.on_moment("gradients", lambda step: have_gradient.append(model[0].weight.grad is not None))
    seen.watch("loss", "update")

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = model(torch.ones(5, 3)).pow(2).mean()
        loss.backward()
        return loss

    optimizer.step(closure)
    assert have_gradient == [True]
    assert seen.kinds.count("update") == 1
    assert seen.kinds.count("loss") > 1
    assert seen.training.clock.step == 1


def test_a_step_that_raises_does_not_blind_us(seen: Any) -> None:
    class Broken(torch.optim.SGD):
        fails = True

        def step(self, closure: Any = None) -> Any:
            if self.fails:
                raise RuntimeError("disk full")
            return super().step(closure)

    model = _model()
    optimizer = Broken(model.parameters(), 0.1)
    with pytest.raises(RuntimeError, match="disk full"):
        _step(model, optimizer)
    seen.watch("gradients", "update")
    _step(model, torch.optim.SGD(model.parameters(), 0.1))
    assert seen.kinds == ["gradients", "update"]


def test_an_optimizer_around_another_is_told_of_alone(seen: Any) -> None:
    class Around(torch.optim.Optimizer):
        def __init__(self, inner: torch.optim.Optimizer) -> None:
            super().__init__(inner.param_groups, {})
            self.inner = inner

        def step(self, closure: Any = None) -> None:
            self.inner.step()

    seen.watch("gradients", "update")
    model = _model()
    optimizer = Around(torch.optim.SGD(model.parameters(), 0.1))
    _step(model, optimizer)
    assert [step.optimizer for step in seen.of("gradients")] == [optimizer]
    assert seen.kinds == ["gradients", "update"]


@pytest.mark.parametrize("fused", [False, True])
def test_a_scaled_loss_is_told_unscaled_and_a_skipped_step_is_told(seen: Any, fused: bool) -> None:
    seen.watch("loss", "gradients", "update", "skip")
    model = _model()
    optimizer = torch.optim.Adam(model.parameters(), fused=fused)
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    for factor in (1.0, float("inf")):
        optimizer.zero_grad()
        loss = model(torch.ones(5, 3)).pow(2).mean()
        scaler.scale(loss * factor).backward()
        scaler.step(optimizer)
        scaler.update()
    first = seen.of("loss")[0]
    assert first.name == "loss"
    assert first.scale == 1024.0
    assert first.tensor.item() == pytest.approx(first.value * 1024)
    assert seen.kinds == ["loss", "gradients", "update", "loss", "skip"]
    assert seen.of("gradients")[0].scale == (1024.0 if fused else 1.0)
    assert seen.training.clock.step == 1


@pytest.mark.parametrize("workers", [0, 2])
def test_rows_and_passes_of_a_loader_are_known(seen: Any, workers: int) -> None:
    model = nn.Linear(1, 1)
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    data = TensorDataset(torch.arange(10.0).reshape(10, 1))
    train = DataLoader(data, batch_size=4, shuffle=True, num_workers=workers)
    validation = DataLoader(data, batch_size=5)
    rows: list[tuple[list[int], list[int], int]] = []
    seen.training.on_moment(
        "loss",
        lambda loss: rows.append(
            (
                seen.training.record.rows,
                seen.training.record.args[0][:, 0].int().tolist(),
                seen.training.clock.epoch,
            )
        ),
    )
    for _ in range(2):
        for (x,) in train:
            model(x).mean().backward()
            optimizer.step()
        with torch.no_grad():
            for (x,) in validation:
                model(x)
    assert [told for told, _, _ in rows] == [real for _, real, _ in rows]
    assert [epoch for _, _, epoch in rows] == [0, 0, 0, 1, 1, 1]


def test_a_checkpoint_and_functorch_begin_nothing(seen: Any) -> None:
    seen.watch("batch", "loss")
    model = _model()
    x = torch.randn(5, 3, requires_grad=True)
    checkpoint(model, x, use_reentrant=True).sum().backward()
    assert seen.kinds.count("loss") == 1
    seen.moments.clear()
    parameters = dict(model.named_parameters())
    torch.func.grad(lambda p: torch.func.functional_call(model, p, x).sum())(parameters)
    assert "loss" not in seen.kinds
    assert "batch" not in seen.kinds


def test_two_threads_have_a_step_each(seen: Any) -> None:
    barrier = threading.Barrier(2, timeout=30)
    records: dict[int, bool] = {}

    def train(number: int) -> None:
        model = nn.Linear(2, 1)
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        x = torch.full((1, 2), float(number))
        for _ in range(3):
            barrier.wait()
            loss = model(x).sum()
            loss.backward()
            record = seen.training.record
            records[number] = record is None or record.args[0] is x
            optimizer.step()

    threads = [threading.Thread(target=train, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert records == {0: True, 1: True}
    assert seen.training.clock.backwards == 6


def test_a_record_holds_what_a_second_run_needs(seen: Any) -> None:
    model = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5))
    torch.manual_seed(3)
    x = torch.randn(4, 3)
    output = model(x)
    record = seen.training.record
    assert record.module is model
    assert record.args[0] is x
    assert record.code is test_a_record_holds_what_a_second_run_needs.__code__
    after = torch.get_rng_state()
    record.random_state.restore()
    assert torch.equal(model(x), output)
    assert torch.equal(torch.get_rng_state(), after)
