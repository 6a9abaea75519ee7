"""What an augmented assignment is of, kept from reading to writing."""

from __future__ import annotations

import sys
from typing import Any


class KeptTargets:
    """By the frame that executes the statement: it executes one at a time, and no other has its address."""

    def __init__(self) -> None:
        self._bases: dict[int, Any] = {}
        self._indices: dict[int, Any] = {}

    def keep_base(self, value: Any) -> Any:
        self._bases[_caller()] = value
        return value

    def keep_index(self, value: Any) -> Any:
        self._indices[_caller()] = value
        return value

    def base(self) -> Any:
        return self._bases.pop(_caller())

    def index(self) -> Any:
        return self._indices.pop(_caller())


def _caller() -> int:
    return id(sys._getframe(2))  # pyright: ignore[reportPrivateUsage]
