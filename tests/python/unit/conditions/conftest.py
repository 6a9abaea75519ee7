"""Trainings under the eyes of real conditions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from unit.conditions.watching import Watch


@pytest.fixture
def watch() -> Iterator[Watch]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield Watch()
    torch.set_num_threads(threads)
