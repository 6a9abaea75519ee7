"""Statistics on a device, with CPU tensors and an event that a test sets off."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from unit.probe.peek import close, peek

from tensorpeek.probe.budget import Deadline
from tensorpeek.probe.kinds import tensor as tensor_kind
from tensorpeek.probe.statistics import scan_tensor, tensor_scan
from tensorpeek.probe.tensors import cuda, facts
from tensorpeek.probe.tensors.cuda import DeviceScan
from tensorpeek.probe.tensors.unwrap import Readable


class FakeDevice:
    """Done at once unless told to be busy."""

    def __init__(self, *, capturing: bool = False, busy: bool = False, error: str = "") -> None:
        self.capturing, self.busy, self.error = capturing, busy, error
        self.marks = 0

    def is_capturing(self) -> bool:
        return self.capturing

    def mark(self) -> FakeDevice:
        if self.error:
            raise RuntimeError(self.error)
        self.marks += 1
        return self

    def query(self) -> bool:
        return not self.busy


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda, "BLOCK", 1000)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize(
    "dtype",
    [
        torch.float64,
        torch.float32,
        torch.float16,
        torch.bfloat16,
        torch.float8_e5m2,
        torch.int64,
        torch.uint64,
        torch.uint8,
        torch.bool,
        torch.complex64,
    ],
    ids=str,
)
@pytest.mark.parametrize("transposed", [False, True])
def test_same_as_on_the_host(dtype: torch.dtype, transposed: bool) -> None:
    tensor = (torch.rand(70, 90) * 100).to(dtype)
    if dtype.is_floating_point:
        tensor[3, 5] = math.nan
        tensor[9, 5] = math.inf
    if transposed:
        tensor = tensor.T
    host = scan_tensor(tensor)
    assert host is not None
    host.advance(Deadline.never())
    expected = host.statistics
    device = FakeDevice()
    scan = DeviceScan(tensor, device)
    assert scan.advance(Deadline.never())
    found = scan.statistics
    assert device.marks == 1
    for name in (
        "count",
        "seen",
        "nan",
        "positive_infinite",
        "negative_infinite",
        "zeros",
        "minimum",
        "maximum",
    ):
        assert getattr(found, name) == getattr(expected, name), name
    assert expected.mean is not None
    assert expected.std is not None
    assert close(found.mean, expected.mean, expected.std)
    assert close(found.std, expected.std, expected.std)


def test_integers_beyond_f64() -> None:
    scan = DeviceScan(torch.tensor([(1 << 62) + 1, (1 << 62) + 3]), FakeDevice())
    scan.advance(Deadline.never())
    assert (scan.statistics.minimum, scan.statistics.maximum) == ((1 << 62) + 1, (1 << 62) + 3)


@pytest.mark.usefixtures("small_blocks")
def test_a_busy_device_is_not_waited_for() -> None:
    device = FakeDevice(busy=True)
    scan = DeviceScan(torch.arange(5000.0), device)
    assert not scan.advance(Deadline.after(1))
    assert scan.statistics.seen == 0
    assert not scan.advance(Deadline.after(1))
    assert device.marks == 1
    device.busy = False
    while not scan.advance(Deadline.never()):
        pass
    assert scan.statistics.maximum == 4999.0


@pytest.mark.usefixtures("small_blocks")
def test_slices_of_work() -> None:
    device = FakeDevice()
    scan = DeviceScan(torch.arange(5000.0), device)
    assert not scan.advance(Deadline.after(0))
    assert scan.statistics.seen == 1000
    assert scan.cost == 4000
    assert scan.advance(Deadline.never())
    assert scan.statistics.exact


def test_nothing_is_queued_while_capturing() -> None:
    device = FakeDevice(capturing=True)
    scan = DeviceScan(torch.arange(5.0), device)
    assert scan.advance(Deadline.never())
    assert device.marks == 0
    assert scan.statistics.problem == "stream is being captured"


def test_errors_become_text() -> None:
    scan = DeviceScan(
        torch.arange(5.0), FakeDevice(error="CUDA error: device-side assert triggered\nCUDA kernel errors…")
    )
    assert scan.advance(Deadline.never())
    assert scan.cost == 0
    assert scan.statistics.problem == "CUDA error: device-side assert triggered"


class Copies(TorchDispatchMode):
    """Counts what the guards are to hide."""

    def __init__(self) -> None:
        super().__init__()
        self.log: list[Any] = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
        self.log.append(func)
        return func(*args, **(kwargs or {}))


def test_users_modes_and_graph_see_nothing() -> None:
    tensor = torch.arange(5.0, requires_grad=True)
    with Copies() as mode:
        DeviceScan(tensor, FakeDevice()).advance(Deadline.never())
    assert mode.log == []
    assert tensor._version == 0


def test_other_devices_have_no_scan() -> None:
    assert cuda.scan_on_device(torch.zeros(3)) is None


@pytest.fixture
def on_device(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every tensor is taken for one in the memory of a device, where nobody may look for it."""

    def there(tensor: torch.Tensor) -> Readable:
        return Readable(None, (), "", tensor)

    def read_by_host(tensor: torch.Tensor) -> None:
        raise AssertionError("memory of a device was looked for on the host")

    for module in (facts, tensor_kind, tensor_scan):
        monkeypatch.setattr(module, "readable", there)
    monkeypatch.setattr(facts, "locate", read_by_host)
    monkeypatch.setattr(tensor_scan, "locate", read_by_host)
    monkeypatch.setattr(tensor_scan, "scan_on_device", lambda tensor: DeviceScan(tensor, FakeDevice()))


@pytest.mark.usefixtures("on_device")
def test_the_storage_is_known_without_reading_it() -> None:
    base = torch.arange(24.0).reshape(4, 6)
    other = torch.zeros(3)
    base_facts, view_facts = facts.tensor_facts(base), facts.tensor_facts(base[1:, ::2])
    assert base_facts.why_no_data == view_facts.why_no_data == ""
    assert base_facts.storage == view_facts.storage == f"cpu {base.untyped_storage().data_ptr():#x}"
    assert base_facts.storage != facts.tensor_facts(other).storage
    assert (view_facts.storage_bytes, view_facts.storage_offset, view_facts.strides) == (96, 6, (6, 2))
    assert not view_facts.contiguous


@pytest.mark.usefixtures("on_device")
def test_what_is_under_a_tensor_on_a_device() -> None:
    rows = peek(torch.arange(24.0).reshape(4, 6)[1:]).rows
    assert rows["stats/max"] == "23"
    assert rows["values"] == "on cpu, and not copied from there"
    assert rows["storage/offset"] == "6"
    assert rows["storage/covers"] == "72 bytes of it"
    assert rows["storage/view of"] == "Tensor"


@pytest.mark.usefixtures("on_device")
def test_a_shared_copy_on_write_storage_on_a_device_stays_shared() -> None:
    original = torch.arange(5.0)
    copy = torch._lazy_clone(original)
    storages = {facts.tensor_facts(tensor).storage for tensor in (original, copy)}
    assert len(storages) == 1
    assert torch._C._is_cow_tensor(copy)
