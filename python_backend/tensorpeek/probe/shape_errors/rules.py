"""Every rule, the more special ones first, and what is said when none fits."""

from __future__ import annotations

import re
from typing import Callable

from tensorpeek.probe.shape_errors import (
    compiled,
    convolutions,
    joining,
    linear,
    losses,
    norms,
    plans,
    recurrent,
    scalars,
    stacking,
    tables,
    views,
)
from tensorpeek.probe.shape_errors.batches import Sizes
from tensorpeek.probe.shape_errors.explanation import Explanation
from tensorpeek.probe.shape_errors.failing import Failing
from tensorpeek.probe.shape_errors.layer_words import described
from tensorpeek.probe.shape_errors.operands import parts

Rule = Callable[[Failing, Sizes], "Explanation | None"]

WORDS = re.compile(
    r"\b(shapes?|sizes?|dimensions?|dims?|broadcast|must match|\dD (input|tensor)|batch_size|out of bounds"
    r"|channels|columns|elements|lengths?|subscripts?|divisible|divide)\b",
    re.IGNORECASE,
)
"""Of an error about shapes that no rule knows."""
OTHERS = re.compile(
    r"\bdtypes?\b|scalar type|\bdevice|out of memory|memory|numpy\(\)|requires? grad|inplace|CUDA error"
    r"|constraint|invalid values|between 0 and 1|probabilit"
)


def _alone(rule: Callable[[Failing], Explanation | None]) -> Rule:
    def with_sizes(found: Failing, sizes: Sizes) -> Explanation | None:
        return rule(found)

    return with_sizes


RULES: tuple[Rule, ...] = (
    _alone(compiled.explain),
    _alone(tables.explain_unpacking),
    _alone(scalars.explain),
    _alone(scalars.explain_gradient),
    _alone(scalars.explain_rows),
    _alone(tables.explain_embedding),
    losses.explain_classes,
    losses.explain_backward,
    _alone(losses.explain_exchanged),
    losses.explain_paired,
    norms.explain,
    recurrent.explain,
    _alone(plans.explain_attention),
    _alone(linear.explain),
    _alone(plans.explain_einsum),
    _alone(plans.explain_scaled),
    _alone(convolutions.explain),
    _alone(stacking.explain_stack),
    _alone(stacking.explain_cat),
    joining.explain_broadcast,
    _alone(tables.explain_gather),
    _alone(views.explain_assigned),
    _alone(tables.explain_index),
    views.explain,
)


def explain(found: Failing, sizes: Sizes) -> Explanation | None:
    """What the rules make of it; None for an error that is not about shapes."""
    for rule in RULES:
        try:
            explanation = rule(found, sizes)
        except Exception:  # noqa: BLE001  what one rule can't read, a plainer one may
            continue
        if explanation is not None:
            return explanation
    return _plain(found)


def _plain(found: Failing) -> Explanation | None:
    """An error of torch's about shapes with its operands, where nothing more is known."""
    if not WORDS.search(found.text) or OTHERS.search(found.text):
        return None
    operands = parts(found)
    if not operands and found.module is None:
        return None
    said = " and ".join(each.named for each in operands[:4])
    where = described(found, found.module) if found.module is not None else ""
    what = f"{where} fails with {said}" if said else f"{where} fails"
    if not where:
        what = f"{said} {'does' if len(operands) == 1 else 'do'} not fit"
    first = " ".join(found.text.split())[:300].rstrip(".")
    return Explanation("Shapes do not fit", f"{what}: {first}.", [], operands)
