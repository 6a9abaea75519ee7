"""In a copy of a rank: nothing there may wait for the other ranks, which know nothing of the copy."""

from __future__ import annotations

import gc
import sys
from typing import Any, NoReturn

KEEPING = ("all_reduce", "reduce", "broadcast", "barrier")
"""Do nothing, which leaves this rank's own value where that of all is expected: near enough to find a NaN."""
REFUSED = (
    *("all_gather", "all_gather_into_tensor", "all_gather_object", "all_to_all", "all_to_all_single"),
    *("broadcast_object_list", "gather", "gather_object", "reduce_scatter", "reduce_scatter_tensor"),
    *("scatter", "scatter_object_list", "send", "recv", "isend", "irecv", "batch_isend_irecv"),
    *("monitored_barrier", "_all_gather_base", "_reduce_scatter_base"),
)
"""Fail: doing nothing would leave memory as a result that nobody has written to."""


def part_from_ranks() -> None:
    """Models that average gradients keep their own; what asks the other ranks does without, or fails."""
    distributed = sys.modules.get("torch.distributed")
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return
    for module in (distributed, distributed.distributed_c10d):
        for name in (*KEEPING, *REFUSED):
            if hasattr(module, name):
                setattr(module, name, _keep if name in KEEPING else _refusal(name))
    kind = getattr(sys.modules.get("torch.nn.parallel.distributed"), "DistributedDataParallel", None)
    if kind is None:
        return
    for model in gc.get_objects():
        if type(model) is kind:
            model.reducer._remove_autograd_hooks()
            model._use_python_reducer = True  # which leaves its forward pass to the model alone


def _keep(*args: Any, **kwargs: Any) -> None:
    pass


def _refusal(name: str) -> Any:
    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise RuntimeError(f"{name} needs the other ranks")

    return refuse
