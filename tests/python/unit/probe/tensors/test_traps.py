"""What makes a naive summary of a tensor wrong, slow, loud or harmful: one test per trap."""

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
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import ShapeEnv
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from unit.probe.peek import close, peek, statistics_of

from tensorpeek.probe.statistics import scan_tensor
from tensorpeek.probe.tensors import unwrap
from tensorpeek.probe.tensors.facts import tensor_facts
from tensorpeek.probe.tensors.line import tensor_line

PROGRAMS = Path(__file__).parents[1] / "programs"
BACKEND = Path(__file__).parents[5] / "python_backend"

ORDINARY = [
    torch.float64,
    torch.float32,
    torch.float16,
    torch.bfloat16,
    torch.int64,
    torch.int16,
    torch.uint8,
    torch.bool,
    torch.complex64,
    torch.float8_e4m3fn,
]


def sample(dtype: torch.dtype, *shape: int) -> torch.Tensor:
    if dtype.is_complex:
        return torch.randn(*shape, dtype=dtype)
    return (torch.rand(*shape) * 100).to(dtype)


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


def test_trap_fp16_sums_overflow() -> None:
    values = torch.tensor([60000.0, -60000.0] * 4000, dtype=torch.float16)
    found = statistics_of(values)
    assert found.mean == 0.0
    assert close(found.std, 60003.75, 60000)


def test_trap_bf16_means_round() -> None:
    values = (1000 + torch.randn(100_000)).to(torch.bfloat16)
    exact = values.double()
    found = statistics_of(values)
    assert close(found.mean, exact.mean().item(), 1)
    assert close(found.std, exact.std().item(), 1)


def test_trap_f32_sums_round() -> None:
    assert close(statistics_of(torch.full((1_000_000,), 0.1)).mean, float(np.float32(0.1)), 1e-6)


def test_trap_f32_squares_cancel() -> None:
    values = 1e4 + 0.1 * torch.randn(200_000)
    exact = values.double()
    found = statistics_of(values)
    assert close(found.mean, exact.mean().item(), 0.1)
    assert close(found.std, exact.std().item(), 0.1)


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8])
def test_trap_integers_have_no_mean(dtype: torch.dtype) -> None:
    values = torch.arange(100).to(dtype)
    found = statistics_of(values)
    assert (found.minimum, found.maximum, found.zeros) == (0, 99, 1)
    assert close(found.mean, 49.5, 1)
    assert close(found.std, values.double().std().item(), 1)


def test_trap_bool_has_no_mean() -> None:
    found = statistics_of(torch.tensor([True, False, False, True, True]))
    assert (found.minimum, found.maximum, found.zeros) == (0, 1, 2)
    assert close(found.mean, 0.6, 1)


@pytest.mark.parametrize("size", [4, 100_000])
def test_trap_int64_sums_wrap_around(size: int) -> None:
    found = statistics_of(torch.full((size,), 1 << 62))
    assert found.mean == float(1 << 62)
    assert found.std == 0.0


@pytest.mark.parametrize("size", [3, 100_000])
def test_trap_integers_beyond_f64(size: int) -> None:
    values = torch.full((size,), (1 << 53) + 1)
    values[-1] += 2
    found = statistics_of(values)
    assert (found.minimum, found.maximum) == ((1 << 53) + 1, (1 << 53) + 3)
    assert found.std is not None
    assert 0 < found.std < 2


def test_trap_complex_has_no_order() -> None:
    found = statistics_of(torch.tensor([1 + 2j, -3 - 4j]))
    assert (found.minimum, found.maximum, found.count) == (-4.0, 2.0, 4)


@pytest.mark.parametrize("dtype", [torch.uint16, torch.uint32, torch.uint64])
def test_trap_unsigned_have_no_min(dtype: torch.dtype) -> None:
    largest = torch.iinfo(dtype).max
    values = torch.tensor([0, 3, largest], dtype=dtype)
    found = statistics_of(values)
    assert (found.minimum, found.maximum, found.zeros) == (0, largest, 1)


@pytest.mark.parametrize(
    "name", ["float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu"]
)
def test_trap_float8_has_no_min(name: str) -> None:
    every = torch.arange(256, dtype=torch.uint8).view(getattr(torch, name))
    exact = every.float()
    finite = exact[exact.isfinite()].double()
    found = statistics_of(every)
    assert found.nan == int(exact.isnan().sum())
    assert found.positive_infinite == int((exact == torch.inf).sum())
    assert (found.minimum, found.maximum) == (finite.min().item(), finite.max().item())
    assert found.zeros == int((exact == 0).sum())
    assert close(found.mean, finite.mean().item(), finite.std().item())


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 5)])
def test_trap_empty(shape: tuple[int, ...]) -> None:
    looked = peek(torch.empty(shape))
    assert looked.line == f"f32[{','.join(map(str, shape))}] empty"
    assert looked.alarm == ""


def test_trap_zero_dimensions() -> None:
    looked = peek(torch.tensor(0.6931, requires_grad=True))
    assert looked.line == "f32 0.6931 grad"
    assert looked.statistics is not None
    assert looked.statistics.std is None


def test_trap_one_element() -> None:
    found = statistics_of(torch.tensor([[2.5]]))
    assert (found.mean, found.std) == (2.5, None)


def test_trap_nan_and_infinity_hide_the_mean() -> None:
    values = torch.tensor([1.0, 2.0, 3.0, torch.nan, torch.inf, -torch.inf, -torch.inf])
    looked = peek(values)
    found = looked.statistics
    assert found is not None
    assert (found.nan, found.positive_infinite, found.negative_infinite) == (1, 1, 2)
    assert (found.minimum, found.maximum, found.mean, found.std) == (1.0, 3.0, 2.0, 1.0)
    assert looked.alarm == "NaN 1 +Inf 1 −Inf 2"
    assert found.offenders == {"NaN": [(3,)], "+Inf": [(4,)], "−Inf": [(5,), (6,)]}


def test_trap_meta() -> None:
    looked = peek(torch.empty(3, 4, device="meta"))
    assert looked.line == "f32[3,4] meta"
    assert looked.statistics is None


def test_trap_fake() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with FakeTensorMode():
            fake = torch.empty(3, 4)
            looked = peek(fake)
        assert looked.line == "f32[3,4] (fake)"
        assert peek(fake).line == looked.line


def test_trap_real_tensor_in_fake_mode() -> None:
    real = torch.arange(4.0)
    with FakeTensorMode():
        assert statistics_of(real).maximum == 3.0


def test_trap_sparse_coo() -> None:
    looked = peek(torch.tensor([[0.0, 2.0], [-1.0, 0.0]]).to_sparse())
    assert looked.statistics is not None
    assert (looked.statistics.minimum, looked.statistics.maximum) == (-1.0, 2.0)
    assert looked.line == "f32[2,2] −1…2 μ0.5 σ2.12 sparse_coo"
    assert {"indices", "values"} <= looked.rows.keys()


@pytest.mark.parametrize("convert", ["to_sparse_csr", "to_sparse_csc"])
def test_trap_sparse_compressed(convert: str) -> None:
    looked = peek(getattr(torch.tensor([[0.0, 2.0], [-1.0, 0.0]]), convert)())
    assert looked.statistics is not None
    assert (looked.statistics.minimum, looked.statistics.maximum) == (-1.0, 2.0)


def test_trap_mkldnn() -> None:
    looked = peek(torch.randn(2, 3).to_mkldnn())
    assert looked.line == "f32[2,3] mkldnn (opaque layout)"


def test_trap_quantized() -> None:
    looked = peek(torch.quantize_per_tensor(torch.tensor([-1.0, 0.0, 2.0]), 0.5, 3, torch.qint8))
    assert looked.line == "qi8[3] 1…7 μ3.67 scale 0.5 zero 3"


def test_trap_quantized_per_channel() -> None:
    scales, zeros = torch.tensor([0.5, 0.25]), torch.tensor([0, 0])
    looked = peek(torch.quantize_per_channel(torch.ones(2, 3), scales, zeros, 0, torch.qint8))
    assert looked.line == "qi8[2,3] 2…4 μ3 scaled per channel"


def test_trap_lazy_parameter_has_no_shape() -> None:
    looked = peek(nn.LazyLinear(3).weight)
    assert looked.line == "f32 grad (uninitialized)"


def test_trap_symbolic_shape() -> None:
    with FakeTensorMode(shape_env=ShapeEnv()) as mode:
        fake = mode.from_tensor(torch.zeros(5, 3), symbolic_context=None)
    assert peek(fake).line.startswith("f32[")


def test_trap_distributed_tensor() -> None:
    distributed = pytest.importorskip("torch.distributed.tensor")
    if not torch.distributed.is_gloo_available():
        pytest.skip("this torch has no gloo")
    torch.distributed.init_process_group("gloo", rank=0, world_size=1, store=torch.distributed.HashStore())
    try:
        mesh = distributed.DeviceMesh("cpu", [0])
        tensor = distributed.distribute_tensor(torch.arange(6.0).reshape(2, 3), mesh, [distributed.Shard(0)])
        looked = peek(tensor)
    finally:
        torch.distributed.destroy_process_group()
    assert looked.line == "f32[2,3] 0…5 μ2.5 σ1.87 local"
    assert looked.rows["local"] == "Tensor"


@pytest.mark.parametrize("layout", [torch.strided, torch.jagged])
def test_trap_nested(layout: torch.layout) -> None:
    nested = torch.nested.nested_tensor([torch.zeros(2, 3), torch.ones(4, 3)], layout=layout)
    looked = peek(nested)
    assert looked.statistics is not None
    assert (looked.statistics.count, looked.statistics.zeros, looked.statistics.maximum) == (18, 6, 1.0)
    assert "nested" in looked.line


def test_trap_inference_has_no_version() -> None:
    with torch.inference_mode():
        tensor = torch.arange(3.0)
    looked = peek(tensor)
    assert looked.line == "f32[3] 0…2 μ1 σ1 inference"


def test_trap_requires_grad() -> None:
    packed: list[torch.Tensor] = []
    leaf = torch.randn(3, 4, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: packed.append(t) or t, lambda t: t):
        result = leaf * 2
        packed.clear()
        versions = leaf._version, result._version
        function = result.grad_fn
        for tensor in (leaf, result):
            peek(tensor)
    assert packed == []
    assert (leaf._version, result._version) == versions
    assert result.grad_fn is function
    assert leaf.grad is None


def test_trap_gradient_of_a_tensor_that_keeps_none() -> None:
    result = torch.randn(3, requires_grad=True) * 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rows = peek(result).rows
    assert "grad" not in rows
    assert rows["grad_fn"] == "MulBackward0"


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
