"""What the user may do at a stop: the step, the batch, the learning rate, a capsule."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from tensorpeek.probe.training import device_values
from tensorpeek.probe.training.device_values import LateValues, Sent
from tensorpeek.probe.training.training import Training


def _train(training: Training | None, steps: int, at: dict[int, Any], scaler: Any = None) -> list[float]:
    """The losses; `at` holds what is done between the forward and the backward pass of a step."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.Linear(8, 1))
    optimizer = torch.optim.Adam(model.parameters(), 0.01)
    data = torch.randn(steps, 8, 4)
    losses: list[float] = []
    for step in range(steps):
        loss = model(data[step]).pow(2).mean()
        losses.append(loss.item())
        optimizer.zero_grad()
        before = [parameter.clone() for parameter in model.parameters()]
        if step in at:
            at[step]()
        if scaler is None:
            loss.backward()
            optimizer.step()
        else:
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
        same = all(torch.equal(one, other) for one, other in zip(before, model.parameters(), strict=True))
        assert same == (step in at and at[step].__name__ in ("skip", "drop"))
    return losses


@pytest.mark.parametrize("action", ["skipStep", "dropBatch"])
@pytest.mark.parametrize("scales", [False, True])
def test_a_step_is_left_out_once(seen: Any, action: str, scales: bool) -> None:
    def skip() -> None:
        seen.training.act(action)

    scaler = torch.amp.GradScaler("cpu", init_scale=8.0) if scales else None
    _train(seen.training, 4, {1: skip}, scaler)


def test_the_learning_rate_is_set_for_all_groups(seen: Any) -> None:
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(
        [{"params": [model.weight], "lr": 0.1}, {"params": [model.bias], "lr": torch.tensor(0.2)}], lr=0.1
    )
    with pytest.raises(ValueError, match="no optimizer"):
        seen.training.act("setLearningRate", 0.5)
    model(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    message, _ = seen.training.act("setLearningRate", 0.5)
    assert message == "Learning rate set to 0.5 (was 0.1, 0.2)."
    assert [float(group["lr"]) for group in optimizer.param_groups] == [0.5, 0.5]


def test_a_capsule_brings_its_step_back(seen: Any, tmp_path: Path) -> None:
    paths: list[str] = []
    seen.training.run_folder = lambda: tmp_path

    def save() -> None:
        paths.append(seen.training.act("saveCapsule")[1])

    losses = _train(seen.training, 5, {2: save})
    assert Path(paths[0]).name == "step-2.capsule.pt"
    assert torch.load(paths[0], weights_only=True)["step"] == 2
    seen.training.replay_capsule(paths[0])
    seen.watch("capsule")
    torch.manual_seed(7)
    model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.Linear(8, 1))
    optimizer = torch.optim.Adam(model.parameters(), 0.5)
    loss = model(torch.zeros(8, 4)).pow(2).mean()
    assert loss.item() == losses[2]
    assert "step 2" in seen.of("capsule")[0].message
    assert optimizer.param_groups[0]["lr"] == 0.01
    assert seen.training.clock.step == 2


def test_a_capsule_holds_the_batch_and_not_the_data_set_that_it_is_a_part_of(
    seen: Any, tmp_path: Path
) -> None:
    seen.training.run_folder = lambda: tmp_path
    data = torch.randn(100_000, 4)
    model = nn.Linear(4, 4)
    model(data[8:16])
    path = seen.training.act("saveCapsule")[1]
    assert Path(path).stat().st_size < 50_000
    assert torch.equal(torch.load(path, weights_only=True)["args"][0], data[8:16])


def test_a_capsule_that_cannot_be_written_leaves_the_one_before(seen: Any, tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    seen.training.run_folder = lambda: tmp_path
    model = nn.Linear(4, 4)
    model(torch.zeros(2, 4))
    path = Path(seen.training.act("saveCapsule")[1])
    before, limits = path.read_bytes(), resource.getrlimit(resource.RLIMIT_FSIZE)
    model(torch.randn(2, 4))
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        with pytest.raises(OSError, match="File too large"):
            seen.training.act("saveCapsule")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
    assert path.read_bytes() == before


def _spoilt(content: dict[str, Any], fault: str) -> Any:
    if fault == "list":
        return list(content)
    if fault == "format":
        return {**content, "tensorpeek_capsule": 99}
    if fault == "keys":
        return {"tensorpeek_capsule": content["tensorpeek_capsule"]}
    if fault == "types":
        return {**content, "args": 3, "models": "models", "random": None}
    return {**content, "random": {**content["random"], "torch": torch.zeros(3)}}


@pytest.mark.parametrize(
    "fault", ["text", "empty", "missing", "cut", "list", "format", "keys", "types", "random"]
)
def test_a_file_that_is_no_capsule_is_said_and_changes_nothing(seen: Any, tmp_path: Path, fault: str) -> None:
    seen.training.run_folder = lambda: tmp_path
    x, model = torch.ones(1, 2), nn.Linear(2, 1)
    loss = model(torch.zeros(1, 2)).sum()
    path = Path(seen.training.act("saveCapsule")[1])
    with torch.no_grad():
        model.weight.add_(1)
    if fault == "text":
        path.write_bytes(b"no")
    elif fault == "empty":
        path.write_bytes(b"")
    elif fault == "missing":
        path.unlink()
    elif fault == "cut":
        path.write_bytes(path.read_bytes()[:-200])
    else:
        torch.save(_spoilt(torch.load(path, weights_only=True), fault), path)
    seen.training.replay_capsule(str(path))
    seen.watch("capsule")
    loss.backward()
    weight, random_state = model.weight.clone(), torch.get_rng_state()
    model(x).sum().backward()
    assert seen.of("capsule")[0].title == "Capsule not replayed"
    assert str(path) in seen.of("capsule")[0].message
    assert seen.training.record.args[0] is x
    assert torch.equal(model.weight, weight)
    assert torch.equal(torch.get_rng_state(), random_state)


def test_a_capsule_of_another_model_says_what_it_could_not_restore(seen: Any, tmp_path: Path) -> None:
    seen.training.run_folder = lambda: tmp_path
    loss = nn.Linear(4, 4)(torch.zeros(2, 4)).sum()
    path = seen.training.act("saveCapsule")[1]
    content = torch.load(path, weights_only=True)
    content["models"][0]["class"] = "Bilinear"
    torch.save(content, path)
    seen.training.replay_capsule(path)
    seen.watch("capsule")
    loss.backward()
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        nn.Linear(3, 3)(torch.zeros(2, 3))
    assert "Not restored: model Bilinear." in seen.of("capsule")[0].message


class _Arrival:
    def __init__(self) -> None:
        self.has_come = False

    def query(self) -> bool:
        return self.has_come


def test_numbers_of_a_device_come_late_and_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    arrivals: deque[_Arrival] = deque()

    class Fake:
        def send(self, tensor: Any) -> Sent:
            arrivals.append(_Arrival())
            return Sent(torch.full((1,), float(len(arrivals))), arrivals[-1])

    monkeypatch.setitem(device_values.DEVICES, "meta", Fake())
    late, loss = LateValues(), torch.empty((), device="meta")
    assert late.exchange("loss", loss) is None
    assert late.exchange("loss", loss) is None
    arrivals[0].has_come = arrivals[1].has_come = True
    assert late.exchange("loss", loss) == [1.0]
    assert late.exchange("loss", loss) == [2.0]
    assert late.exchange("loss", loss) is None


def test_what_is_recommended_fits_the_model(seen: Any) -> None:
    assert "no model" in seen.training.recommend()["basis"]
    model = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for _ in range(3):
        model(torch.ones(1, 2)).sum().backward()
        optimizer.step()
    found = seen.training.recommend()
    assert found["basis"] == "3 steps of Sequential (3 layers)"
    chosen = {each["condition"]: each for each in found["recommendations"]}
    assert "ReLU" in chosen["dead-activation"]["reason"]
    assert "eval-mode" not in chosen
    assert len(chosen) == len(found["recommendations"])


def test_names_are_unique_among_models(seen: Any) -> None:
    class Pair(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = nn.Linear(1, 1)

    models = seen.training.models
    one, two = nn.Sequential(nn.Linear(1, 1)), nn.Sequential(nn.Linear(1, 1))
    for model in (one, two):
        models.add_root(model)
    names = [models.name_of_parameter(each) for model in (one, two) for each in model.parameters()]
    assert names == ["0.weight", "0.bias", "Sequential.0.weight", "Sequential.0.bias"]
    pair = Pair()
    pair.inner = one[0]
    models.add_root(pair)
    assert models.name_of_parameter(one[0].weight) == "inner.weight"
    late = nn.Parameter(torch.ones(1))
    assert models.name_of_parameter(late) == ""
    two.extra = late
    assert models.name_of_parameter(nn.Parameter(torch.ones(1))) == ""
