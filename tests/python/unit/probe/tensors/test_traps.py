"""What makes a naive summary of a tensor wrong: one test per trap of dtype, size and kind."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import ShapeEnv
from unit.probe.peek import close, peek, statistics_of


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
