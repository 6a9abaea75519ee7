"""The scratch memory of a scan with numpy, and how much is read at once."""

from __future__ import annotations

from typing import Any

BLOCK = 65536
"""Numbers of a chunk of at most 4 bytes each: 256 KiB of f32 stay in a core's L2 cache."""
WIDE_BLOCK = 32768
"""Numbers of a chunk of 8 bytes each."""
BYTE_BLOCK = BLOCK * 4
"""Numbers of a chunk of bytes that nothing has to be made of."""


class Workspace:
    """Scratch memory of one running scan, 1.2 MiB, reused by the next."""

    def __init__(self, np: Any) -> None:
        self.np = np
        self.raw = np.empty(BLOCK * 4, np.uint8)
        """A dense copy of a chunk that is not dense in memory."""
        self.widened = np.empty(BLOCK, np.float32)
        """A chunk of a narrower dtype as f32."""
        self.shifted = np.empty(BLOCK, np.float32)
        self.wide = np.empty(WIDE_BLOCK, np.float64)
        self.mask = np.empty(BLOCK, np.bool_)
        self.widened_bits = self.widened.view(np.uint32)
        self.minimum = np.minimum.reduce
        self.maximum = np.maximum.reduce
        self.sum = np.add.reduce
        self.equal = np.equal
        self.copyto = np.copyto
        self.subtract = np.subtract
        self.count_true = np.count_nonzero
        self.row_squares = getattr(np, "vecdot", None) or (lambda a, b: np.einsum("ij,ij->i", a, b))
        # An array, since numpy converts a Python number anew at every call.
        self.zero = {code: np.zeros((), code) for code in "fdbBhHiIlLqQ"}
