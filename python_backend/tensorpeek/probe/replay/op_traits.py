"""What the watch has to know of an operator of torch: its name for users, and how it treats infinities."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

SOFTENING = frozenset({"softmax", "log_softmax", "logsumexp", "scaled_dot_product_attention"})
"""Ops for which −inf among the inputs is the usual way to leave an element out."""

STEEP = frozenset(
    (
        "sqrt",
        "rsqrt",
        "pow",
        "div",
        "norm",
        "std",
        "var",
        "log",
        "log2",
        "log10",
        "log1p",
        "acos",
        "asin",
        "acosh",
        "atanh",
        "reciprocal",
        "prod",
        "cumprod",
        "atan2",
        "cdist",
        "exp",
        "logsumexp",
        "xlogy",
        "svd",
        "eigh",
        "cholesky",
        "inverse",
        "logit",
        "tan",
        "lgamma",
    )
)
"""Ops whose derivative may be infinite where their value is finite."""

_NAMES = {
    "linalg_vector_norm": "norm",
    "addmm": "linear",
    "mm": "matmul",
    "bmm": "matmul",
    "baddbmm": "matmul",
    "mv": "matmul",
    "convolution": "conv",
    "native_batch_norm": "batch_norm",
    "native_batch_norm_legit": "batch_norm",
    "native_batch_norm_legit_no_training": "batch_norm",
    "native_layer_norm": "layer_norm",
    "native_group_norm": "group_norm",
    "native_dropout": "dropout",
    "nll_loss_forward": "nll_loss",
    "nll_loss2d_forward": "nll_loss",
    "to_copy": "to",
    "safe_softmax": "softmax",
    "std_mean": "std",
    "var_mean": "var",
    "cdist_forward": "cdist",
    "linalg_svd": "svd",
    "linalg_eigh": "eigh",
    "linalg_cholesky_ex": "cholesky",
    "linalg_inv_ex": "inverse",
    "true_divide": "div",
    "thnn_fused_lstm_cell": "lstm",
}
_LOOKS = frozenset({"isfinite", "isnan", "isinf", "sign", "equal", "detach", "alias", "lift_fresh"})
"""Ops that look at a value or pass it on; nothing is hidden by them."""


@dataclass(frozen=True)
class OpTraits:
    name: str
    """As a user would write it: `sqrt`, `softmax`, `linear`."""
    is_view: bool
    is_mutable: bool
    is_uninitialized: bool
    is_look: bool


def op_traits(func: Any) -> OpTraits:
    schema = func._schema
    bare = schema.name.rpartition("::")[2]
    aliases = any(returned.alias_info is not None for returned in schema.returns)
    return OpTraits(
        name=op_name(bare),
        is_view=aliases and not schema.is_mutable,
        is_mutable=schema.is_mutable,
        is_uninitialized=bare.startswith(("empty", "new_empty", "_empty")),
        is_look=bare in _LOOKS,
    )


def op_name(bare: str) -> str:
    name = bare.strip("_")
    if name.startswith("scaled_dot_product"):
        return "scaled_dot_product_attention"
    name = re.sub(r"^foreach_", "", name)
    return _NAMES.get(name, name)


def name_of_node(node_name: str) -> str:
    """`sqrt` of `SqrtBackward0`, `log_softmax` of `LogSoftmaxBackward0`; `Square` of a user's`."""
    match = re.fullmatch(r"(\w+?)Backward(\d*)", node_name.rpartition("::")[2])
    if match is None or not match[2]:
        return match[1] if match else node_name
    return op_name(re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", match[1]).lower())


def is_given_infinity(traits: OpTraits, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether the call itself asks for a value that is not finite, as `masked_fill(mask, -inf)` does."""
    numbers = [value for value in (*args, *kwargs.values()) if isinstance(value, float)]
    return any(not math.isfinite(number) for number in numbers)
