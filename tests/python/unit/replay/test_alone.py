"""A copy of a rank knows nothing of the others."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from torch import distributed

from tensorpeek.probe.replay.alone import KEEPING, REFUSED, part_from_ranks


@pytest.fixture
def copy_of_a_rank(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    distributed.init_process_group("gloo", store=distributed.HashStore(), rank=0, world_size=1)
    try:
        for module in (distributed, distributed.distributed_c10d):
            for name in (*KEEPING, *REFUSED):
                if hasattr(module, name):
                    monkeypatch.setattr(module, name, getattr(module, name))
        part_from_ranks()
        yield
    finally:
        monkeypatch.undo()
        distributed.destroy_process_group()


@pytest.mark.usefixtures("copy_of_a_rank")
def test_what_would_be_reduced_stays() -> None:
    value = torch.ones(2)
    assert distributed.all_reduce(value, group="no group") is None  # type: ignore[arg-type]
    assert value.tolist() == [1, 1]


@pytest.mark.usefixtures("copy_of_a_rank")
def test_what_would_stay_unwritten_is_refused() -> None:
    with pytest.raises(RuntimeError, match="all_gather needs the other ranks"):
        distributed.all_gather([torch.empty(2)], torch.ones(2))
