"""Runs compiled functions as they are written: a compiler can't read code that holds functions of ours."""

from __future__ import annotations

import sys
from typing import Any


class Uncompiled:
    """From `begin` to `end`; nothing where torch's compiler is not loaded, or has no such stance."""

    def __init__(self) -> None:
        self._stance: Any = None

    def begin(self) -> None:
        if "torch._dynamo" in sys.modules:
            stance = getattr(getattr(sys.modules["torch"], "compiler", None), "set_stance", None)
            self._stance = stance("force_eager") if stance is not None else None

    def end(self) -> None:
        if self._stance is not None:
            self._stance.__exit__(None, None, None)
            self._stance = None
