"""A scan that was interrupted says nothing that is not so."""

from __future__ import annotations

import math
import tracemalloc

import pytest
import torch

from tensorpeek.probe.budget import Deadline
from tensorpeek.probe.statistics import Scan, scan_tensor
from tensorpeek.probe.statistics.tensor_scan import open_scan

EXPIRED = Deadline.after(0)


def big() -> torch.Tensor:
    generator = torch.Generator().manual_seed(1)
    tensor = torch.randn(1500, 2001, generator=generator)
    tensor[700, 3] = math.nan
    tensor[1400, 1000:1005] = math.inf
    return tensor


@pytest.mark.parametrize("view", ["dense", "transposed", "strided", "negated"])
def test_honest_at_any_point(view: str) -> None:
    tensor = big()
    tensor = {
        "dense": tensor,
        "transposed": tensor.T,
        "strided": tensor[:, ::2],
        "negated": torch.complex(tensor, tensor).conj().imag,
    }[view]
    whole = scan_tensor(tensor)
    assert whole is not None
    whole.advance(Deadline.never())
    truth = whole.statistics
    scan = scan_tensor(tensor)
    assert isinstance(scan, Scan)
    seen = [0]
    while not scan.advance(EXPIRED):
        part = scan.statistics
        assert not part.exact
        assert part.seen > seen[-1]
        assert part.seen + scan.cost == part.count
        seen.append(part.seen)
        assert part.minimum is not None
        assert part.maximum is not None
        assert truth.minimum is not None
        assert truth.maximum is not None
        assert truth.minimum <= part.minimum <= part.maximum <= truth.maximum
        assert part.nan <= truth.nan
        assert part.positive_infinite <= truth.positive_infinite
        assert part.negative_infinite <= truth.negative_infinite
        assert part.zeros <= truth.zeros
    assert len(seen) > 5
    last = scan.statistics
    assert last.exact
    assert last == truth


def test_the_seed_finds_what_blocks_have_not_met() -> None:
    tensor = torch.zeros(20_000_000)
    tensor[::7] = 5.0
    tensor[::1001] = -2.0
    scan = open_scan(tensor)
    assert isinstance(scan, Scan)
    scan.advance(EXPIRED)
    part = scan.statistics
    assert (part.minimum, part.maximum) == (-2.0, 5.0)
    assert part.seen < 0.01 * part.count


def test_a_part_is_spread_evenly() -> None:
    scan = open_scan(torch.arange(6_000_000.0))
    assert isinstance(scan, Scan)
    for _ in range(12):
        scan.advance(EXPIRED)
    mean = scan.statistics.mean
    assert mean is not None
    assert abs(mean / 3_000_000 - 1) < 0.1


def test_a_storage_that_shrinks_between_slices() -> None:
    tensor = torch.ones(1_000_000)
    scan = open_scan(tensor)
    assert isinstance(scan, Scan)
    assert not scan.advance(EXPIRED)
    tensor.untyped_storage().resize_(1000)
    assert scan.advance(EXPIRED)
    found = scan.statistics
    assert not found.exact
    assert found.problem == "memory freed while it was read"
    assert scan.cost == 0


def test_extra_memory() -> None:
    tensors = [torch.randn(3000, 1000).to(dtype) for dtype in (torch.float32, torch.float16, torch.float64)]
    tensors += [tensor.T[::2] for tensor in tensors]
    tensors += [torch.full((2_000_000,), math.nan), torch.full((1000, 2000), math.nan).T]
    tracemalloc.start()
    try:
        for tensor in tensors:
            scan = open_scan(tensor)
            assert scan is not None
            scan.advance(Deadline.never())
        assert tracemalloc.get_traced_memory()[1] <= 2 << 20
    finally:
        tracemalloc.stop()


def test_histogram_of_a_part_and_of_all() -> None:
    tensor = torch.cat((torch.zeros(100_000), torch.ones(300_000)))
    scan = open_scan(tensor)
    assert scan is not None
    scan.advance(Deadline.never())
    assert isinstance(scan, Scan)
    counts = [0] * 4
    assert scan.histogram(counts, 0, EXPIRED) == 1 < scan.blocks
    assert sum(counts) == 65536
    assert scan.histogram(counts, 1, Deadline.never()) == scan.blocks
    assert counts == [100_000, 0, 0, 300_000]
    assert scan.histogram(counts, scan.blocks, Deadline.never()) == scan.blocks
    assert counts == [100_000, 0, 0, 300_000]
