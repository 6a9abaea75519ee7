"""What a GradScaler does to losses and steps."""

from __future__ import annotations

import sys
import weakref
from typing import Any

KEPT = 4


class Scaling:
    """Remembers which loss a scaler has multiplied, until its backward pass."""

    def __init__(self) -> None:
        self._pairs: list[tuple[weakref.ref[Any], Any, Any]] = []

    def scaled(self, scaler: Any, outputs: Any, result: Any) -> None:
        if result is outputs or not isinstance(result, sys.modules["torch"].Tensor):
            return
        self._pairs.append((weakref.ref(result), outputs, scaler))
        del self._pairs[:-KEPT]

    def take(self, root: Any) -> tuple[Any, float]:
        """The loss that `root` was made of, and the factor; `root` itself and 1 when no scaler made it."""
        if not self._pairs:
            return root, 1.0
        for reference, outputs, scaler in self._pairs:
            if reference() is root:
                self._pairs.clear()
                return outputs, factor(scaler)
        return root, 1.0


def factor(scaler: Any) -> float:
    """The scaler's, without waiting for a device: there, the one that it began with."""
    scale = getattr(scaler, "_scale", None)
    if scale is None or scale.device.type != "cpu":
        return float(getattr(scaler, "_init_scale", 1.0))
    return float(scale.item())


def factor_in(optimizer: Any) -> float:
    """What is still in the gradients of an optimizer that unscales them itself, within its step."""
    scale = getattr(optimizer, "grad_scale", None)
    return 1.0 if scale is None or scale.device.type != "cpu" else float(scale.item())


def leaves_out(optimizer: Any) -> bool:
    """Whether an optimizer that unscales its gradients itself will not take the step that it begins."""
    found = getattr(optimizer, "found_inf", None)
    return found is not None and found.device.type == "cpu" and bool(found.item())
