"""Makes a model whose large tensors have no memory."""

from __future__ import annotations

import sys
from typing import Any, Callable

from tensorpeek.probe.quiet import ignored_warnings

LARGEST_REAL = 4_096
"""Elements. Constructors ask small tensors for their values, as the rates of `linspace(0, rate, depth)`."""


def built(build: Callable[[], Any]) -> Any:
    """What `build` makes; with memory only where it can't do without. Raises what `build` raises."""
    torch = sys.modules["torch"]
    try:
        mode: Any = sys.modules["torch._subclasses.fake_tensor"].FakeTensorMode(allow_non_fake_inputs=True)
        with ignored_warnings(), torch.random.fork_rng([]), _large_are_fake(mode):
            return build()
    except Exception:  # noqa: BLE001  whatever the user's code raises of it
        return build()


def _large_are_fake(mode: Any) -> Any:
    torch = sys.modules["torch"]
    base: Any = sys.modules["torch.utils._python_dispatch"].TorchDispatchMode

    class Large(base):
        def __torch_dispatch__(
            self, function: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
        ) -> Any:
            words = kwargs or {}
            if not any(isinstance(value, torch.Tensor) for value in (*args, *words.values())):
                with mode:
                    fake = function(*args, **words)
                if isinstance(fake, torch.Tensor) and fake.numel() > LARGEST_REAL:
                    return fake
            return function(*args, **words)

    return Large()
