"""Guards: neither graph nor modes nor subclasses of the user see what we ask torch for meanwhile."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from typing import Any


def is_observed(tensor: Any) -> bool:
    """Whether the user's code would notice what is asked of the tensor."""
    torch = sys.modules["torch"]
    core = torch._C
    return (
        type(tensor) is not torch.Tensor
        or core._len_torch_function_stack() > 0
        or core._len_torch_dispatch_stack() > 0
    )


def unobserved() -> ExitStack:
    """Until it is closed, neither autograd nor the user's modes and subclasses see what is computed."""
    guards = ExitStack()
    torch = sys.modules.get("torch")
    if torch is not None:
        core = torch._C
        guards.enter_context(core.DisableTorchFunction())
        if core._len_torch_dispatch_stack():
            guards.enter_context(core._DisableTorchDispatch())
        if torch.is_grad_enabled():
            guards.callback(core._set_grad_enabled, True)
            core._set_grad_enabled(False)
    return guards
