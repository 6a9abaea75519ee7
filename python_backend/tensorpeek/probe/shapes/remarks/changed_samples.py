"""Which samples' results depend on sample 0: shown by two passes with data, on a copy of the model."""

from __future__ import annotations

import sys
from typing import Any

from tensorpeek.probe.shapes.call import Target, batch_of
from tensorpeek.probe.shapes.fake_trace import quiet_torch

SAMPLES = 4
MOST_FLOPS = 4e9
"""Of one pass, which a CPU does in less than a second."""
MOST_PARAMETERS = 50_000_000


def changed_samples(target: Target, flops: int) -> list[int] | None:
    """None where the passes would cost too much, have no data, or failed; `flops`: of the traced call."""
    samples = batch_of(target.args, target.kwargs)
    if not samples or flops * min(samples, SAMPLES) / samples > MOST_FLOPS:
        return None
    try:
        return _changed(target, samples)
    except Exception:  # noqa: BLE001  whatever the user's code raises, the remark does without
        return None


def _changed(target: Target, samples: int) -> list[int] | None:
    tree: Any = sys.modules["torch.utils._pytree"]
    torch = sys.modules["torch"]
    with quiet_torch():
        torch.manual_seed(0)
        given = tree.tree_map(lambda leaf: _few(leaf, samples), (target.args, target.kwargs))
        other = tree.tree_map(lambda leaf: _other_first(leaf), given)
        results: list[list[Any]] = []
        for args, kwargs in (given, other):
            call = Target(target.entry, target.model, target.build, args, kwargs).real()
            if not _is_small(call.function):
                return None
            call.function.eval()
            torch.manual_seed(0)
            results.append(
                [leaf for leaf in tree.tree_flatten(call.run())[0] if isinstance(leaf, torch.Tensor)]
            )
        return _differing(results[0], results[1])


def _is_small(model: Any) -> bool:
    """And on the CPU, with data, and a module, which can be told not to use what it knows of the batch."""
    if not isinstance(model, sys.modules["torch"].nn.Module):
        return False
    tensors = [*model.parameters(), *model.buffers()]
    return sum(int(each.numel()) for each in tensors) <= MOST_PARAMETERS and all(
        str(each.device) == "cpu" for each in tensors
    )


def _few(leaf: Any, samples: int) -> Any:
    """SAMPLES of the samples, of which none is like another; one alone is repeated."""
    torch = sys.modules["torch"]
    if not isinstance(leaf, torch.Tensor) or not leaf.dim() or leaf.shape[0] != samples:
        return leaf
    if str(leaf.device) != "cpu":
        raise ValueError("the inputs are on a device")
    few = leaf[torch.arange(SAMPLES) % samples].clone()
    return few + torch.rand_like(few) if few.is_floating_point() else few


def _other_first(leaf: Any) -> Any:
    """Sample 0 as sample 1 is, which the model can surely take."""
    torch = sys.modules["torch"]
    if not isinstance(leaf, torch.Tensor) or not leaf.dim() or leaf.shape[0] != SAMPLES:
        return leaf
    other = leaf.clone()
    other[0] = leaf[1]
    return other


def _differing(first: list[Any], second: list[Any]) -> list[int] | None:
    """Rows of outputs that have one per sample."""
    changed: set[int] = set()
    is_comparable = False
    for one, two in zip(first, second):
        if not one.dim() or one.shape != two.shape or one.shape[0] != SAMPLES:
            continue
        is_comparable = True
        changed |= {row for row in range(SAMPLES) if not bool((one[row] == two[row]).all())}
    return sorted(changed) if is_comparable and changed else None
