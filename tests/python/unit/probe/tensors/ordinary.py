"""Ordinary tensors of every common dtype."""

from __future__ import annotations

import torch

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
