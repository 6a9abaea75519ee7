"""What makes a naive summary loud or harmful to the program beside it: modes, subclasses, threads, forks."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from unit.probe.peek import peek, statistics_of
from unit.probe.tensors.ordinary import ORDINARY, sample

from tensorpeek.probe.statistics import scan_tensor
from tensorpeek.probe.tensors import unwrap
from tensorpeek.probe.tensors.facts import tensor_facts
from tensorpeek.probe.tensors.line import tensor_line

PROGRAMS = Path(__file__).parents[1] / "programs"
BACKEND = Path(__file__).parents[5] / "python_backend"


def run(program: str, *arguments: str) -> str:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(BACKEND), str(PROGRAMS)])}
    done = subprocess.run(
        [sys.executable, str(PROGRAMS / program), *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


class LogFunctions(TorchFunctionMode):
    def __init__(self) -> None:
        super().__init__()
        self.log: list[object] = []

    def __torch_function__(self, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
        self.log.append(func)
        return func(*args, **(kwargs or {}))


class LogDispatches(TorchDispatchMode):
    def __init__(self) -> None:
        super().__init__()
        self.log: list[object] = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
        self.log.append(func)
        return func(*args, **(kwargs or {}))


def test_trap_users_modes_see_nothing() -> None:
    tensors = [sample(dtype, 3, 40) for dtype in ORDINARY]
    tensors += [tensors[1].T, tensors[1].to_sparse(), tensors[8].conj(), nn.Linear(3, 2).weight]
    tensors += [torch.randn(50, 3000), torch.tensor([1.0, torch.nan])]
    with LogFunctions() as functions, LogDispatches() as dispatches:
        functions.log.clear()
        dispatches.log.clear()
        for tensor in tensors:
            peek(tensor)
        seen = list(functions.log), list(dispatches.log)
    assert seen == ([], [])


class Hostile(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
        raise RuntimeError("do not look at me")


class Plain(torch.Tensor):
    """Inherits everything."""


def test_trap_subclass_that_raises() -> None:
    looked = peek(torch.arange(4.0).as_subclass(Hostile))
    assert looked.line == "f32[4] 0…3 μ1.5 σ1.29"
    assert looked.facts.type_name == "Hostile"
    assert looked.rows["values/[3]"] == "3.0"


def test_trap_subclass_that_inherits() -> None:
    assert peek(torch.arange(4.0).as_subclass(Plain)).line == "f32[4] 0…3 μ1.5 σ1.29"


class Wrapper(torch.Tensor):
    """Wraps another tensor and has no storage of its own."""

    inner: torch.Tensor

    @staticmethod
    def __new__(cls, inner: torch.Tensor) -> Wrapper:
        return torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)

    def __init__(self, inner: torch.Tensor) -> None:
        self.inner = inner

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
        raise RuntimeError("do not dispatch to me")


def test_trap_wrapper_subclass_has_no_storage() -> None:
    looked = peek(Wrapper(torch.arange(4.0)))
    assert looked.line == "f32[4] (no storage)"
    assert looked.rows["all attributes/inner"] == "Tensor"


def test_trap_functorch() -> None:
    lines: list[str] = []

    def function(x: torch.Tensor) -> torch.Tensor:
        lines.append(peek(x).line)
        return x.sum()

    values = torch.arange(12.0).reshape(3, 4)
    torch.vmap(function)(values)
    torch.func.grad(function)(values)
    torch.vmap(torch.func.grad(function))(values)
    assert [line.partition(" μ")[0] for line in lines] == ["f32[4] 0…11", "f32[3,4] 0…11", "f32[4] 0…11"]
    assert [word for word in ("vmap", "grad") if word in lines[2].split()] == ["vmap", "grad"]


def test_trap_default_device() -> None:
    tensor = torch.arange(4.0)
    torch.set_default_device("meta")
    try:
        assert statistics_of(tensor).maximum == 3.0
    finally:
        torch.set_default_device(None)


def test_trap_default_dtype() -> None:
    tensor = torch.arange(4, dtype=torch.float32)
    torch.set_default_dtype(torch.float64)
    try:
        assert statistics_of(tensor).maximum == 3.0
    finally:
        torch.set_default_dtype(torch.float32)


def test_trap_deterministic_mode() -> None:
    tensors = [sample(dtype, 70_000) for dtype in ORDINARY]
    torch.use_deterministic_algorithms(True)
    try:
        for tensor in tensors:
            statistics_of(tensor)
    finally:
        torch.use_deterministic_algorithms(False)


def test_trap_random_state() -> None:
    tensor = torch.randn(100_000)
    before = torch.get_rng_state(), np.random.get_state()[1].copy()
    peek(tensor)
    assert torch.equal(torch.get_rng_state(), before[0])
    assert (np.random.get_state()[1] == before[1]).all()


@pytest.mark.parametrize("size", [3, 70_000])
def test_trap_lazy_conjugation(size: int) -> None:
    values = torch.complex(torch.full((size,), 1.0), torch.full((size,), 5.0))
    conjugated = values.conj()
    looked = peek(conjugated)
    assert looked.statistics is not None
    assert (looked.statistics.minimum, looked.statistics.maximum) == (-5.0, 1.0)
    assert looked.rows["values/[0]" if size == 3 else "values/[0…9999]/[0…99]/[0]"] == "(1-5j)"
    assert conjugated.is_conj()


@pytest.mark.parametrize("size", [3, 70_000])
def test_trap_lazy_negation(size: int) -> None:
    imaginary = torch.complex(torch.zeros(size), torch.arange(1.0, size + 1)).conj().imag
    assert imaginary.is_neg()
    looked = peek(imaginary)
    assert looked.statistics is not None
    assert (looked.statistics.minimum, looked.statistics.maximum) == (-float(size), -1.0)
    assert imaginary.is_neg()


def test_trap_lazy_negation_of_infinity() -> None:
    imaginary = torch.complex(torch.zeros(3), torch.tensor([1.0, torch.inf, 2.0])).conj().imag
    looked = peek(imaginary)
    assert looked.alarm == "−Inf 1"
    assert looked.statistics is not None
    assert looked.statistics.offenders == {"−Inf": [(1,)]}


@pytest.mark.parametrize("dtype", ORDINARY, ids=str)
def test_trap_storage_stays_resizable(dtype: torch.dtype) -> None:
    tensor = sample(dtype, 100)
    peek(tensor)
    assert tensor.untyped_storage().resizable()
    tensor.untyped_storage().resize_(0)


def test_trap_copy_on_write_stays() -> None:
    original = torch.arange(100_000.0)
    lazy = torch._lazy_clone(original)
    assert torch._C._is_cow_tensor(lazy)
    assert statistics_of(lazy).maximum == 99_999.0
    assert statistics_of(lazy[50_000:50_002]).minimum == 50_000.0
    assert torch._C._is_cow_tensor(lazy)
    assert torch._C._is_cow_tensor(original)


def test_trap_freed_storage() -> None:
    tensor = torch.randn(1000)
    tensor.untyped_storage().resize_(0)
    looked = peek(tensor)
    assert looked.line == "f32[1000] (no storage)"
    tensor.untyped_storage().resize_(400)
    assert peek(tensor).line == "f32[1000] (storage too small)"


def test_trap_users_profile_shows_nothing() -> None:
    tensors = [sample(dtype, 300, 300) for dtype in ORDINARY]
    tensors += [tensor.T for tensor in tensors]
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        for tensor in tensors:
            peek(tensor)
    assert [event.name for event in profile.events()] == []


@pytest.mark.parametrize("numpy", ["numpy", "no-numpy"])
def test_trap_fork_after_openmp(numpy: str) -> None:
    assert run("forked.py", numpy) == "child looked at every dtype\n"


def test_trap_number_of_threads_stays() -> None:
    before = torch.get_num_threads()
    peek(torch.randn(100_000))
    assert torch.get_num_threads() == before


@pytest.mark.parametrize("numpy", ["numpy", "no-numpy"])
def test_trap_no_thread_is_started(numpy: str) -> None:
    """Threads would wait for the busy cores of the user's training, and do not survive a fork."""
    assert run("threads.py", numpy) == "no new thread\n"


class Without:
    """`torch._C` of a version that has no such call."""

    def __init__(self, core: Any, name: str) -> None:
        self._core, self._name = core, name

    def __getattr__(self, name: str) -> Any:
        if name == self._name:
            raise AttributeError(name)
        return getattr(self._core, name)


@pytest.mark.parametrize(
    "name", ["_dispatch_keys", "_functorch", "_DisableTorchDispatch", "_AutoDispatchBelowAutograd"]
)
def test_trap_torch_of_another_version(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tensors = [torch.zeros(3), torch.zeros(3, 100_000), torch.zeros(2, 2).to_sparse()]
    monkeypatch.setattr(unwrap, "plain_keys", set())
    monkeypatch.setattr(torch, "_C", Without(torch._C, name))
    scans = [scan_tensor(tensor) for tensor in tensors]
    lines = [tensor_line(tensor_facts(tensor), None)[1] for tensor in tensors]
    monkeypatch.undo()
    for scan, line in zip(scans, lines, strict=True):
        assert scan is not None or "AttributeError while reading" in line


def test_trap_torch_without_data_address(monkeypatch: pytest.MonkeyPatch) -> None:
    tensor = torch.arange(9.0)[3:]
    monkeypatch.setattr(torch, "_C", Without(torch._C, "_data_address"))
    line = peek(tensor).line
    monkeypatch.undo()
    assert line == "f32[6] 3…8 μ5.5 σ1.87"


def test_trap_inside_a_backward_hook() -> None:
    lines: list[str] = []
    leaf = torch.randn(100, 100, requires_grad=True)
    product = leaf @ leaf
    product.register_hook(lambda gradient: lines.append(peek(gradient).line))
    product.sum().backward()
    assert lines == ["all = 1 f32[100,100]"]


def test_trap_from_another_thread() -> None:
    tensor = torch.arange(100_000.0)
    lines: list[str] = []
    thread = threading.Thread(target=lambda: lines.append(peek(tensor).line))
    thread.start()
    thread.join()
    assert lines == [peek(tensor).line]


@pytest.mark.parametrize("size", [16, 100_000])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16], ids=str)
def test_trap_numpy_warns(dtype: torch.dtype, size: int) -> None:
    limits = torch.finfo(dtype)
    values = torch.full((size,), limits.max, dtype=dtype)
    values[1] = limits.min
    values[2] = torch.nan
    values[3] = torch.inf
    values[4] = limits.tiny / 2
    signalling = torch.full((size,), 0, dtype=dtype)
    signalling.view(getattr(torch, f"int{8 * dtype.itemsize}"))[5] = _signalling_nan(dtype)
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        assert statistics_of(values).nan == 1
        assert statistics_of(signalling).nan == 1


def _signalling_nan(dtype: torch.dtype) -> int:
    exponents = {
        torch.float64: 0x7FF << 52,
        torch.float32: 0xFF << 23,
        torch.float16: 0x1F << 10,
        torch.bfloat16: 0xFF << 7,
    }
    return exponents[dtype] | 1
