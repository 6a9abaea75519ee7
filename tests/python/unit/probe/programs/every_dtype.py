"""Tensors of every dtype, and what hides numpy from a program."""

from __future__ import annotations

import sys
from importlib.abc import MetaPathFinder


class HideNumpy(MetaPathFinder):
    def find_spec(self, fullname: str, path: object, target: object = None) -> None:
        if fullname.partition(".")[0] == "numpy":
            raise ModuleNotFoundError(fullname)


if sys.argv[1] == "no-numpy":
    sys.meta_path.insert(0, HideNumpy())
else:
    import numpy  # noqa: F401

import torch  # noqa: E402

DTYPES = [
    torch.float64,
    torch.float32,
    torch.float16,
    torch.bfloat16,
    torch.float8_e4m3fn,
    torch.float8_e5m2,
    torch.int64,
    torch.int32,
    torch.int16,
    torch.int8,
    torch.uint8,
    torch.bool,
    torch.complex64,
]
NEWER = [getattr(torch, name) for name in ("uint16", "uint32", "uint64") if hasattr(torch, name)]


def tensors(size: int) -> list[torch.Tensor]:
    """A sawtooth of 0 to 100 in every dtype, dense and not."""
    made = [(torch.arange(size) % 101).to(dtype) for dtype in DTYPES + NEWER]
    return made + [tensor.reshape(-1, 10).T for tensor in made] + [tensor[::2] for tensor in made]
