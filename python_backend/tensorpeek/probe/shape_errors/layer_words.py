"""How a layer is named, and where its sizes are set."""

from __future__ import annotations

import ast
from typing import Any

from tensorpeek.probe.shape_errors.failing import Failing, module_name, owner_of
from tensorpeek.probe.shape_errors.origins import constructor
from tensorpeek.probe.training import source
from tensorpeek.probe.training.places import Place
from tensorpeek.probe.training.report import Related

ORDER = {
    "in_features": ("in_features", "out_features"),
    "in_channels": ("in_channels", "out_channels"),
    "num_features": ("num_features",),
    "embed_dim": ("embed_dim", "num_heads"),
    "d_model": ("d_model", "nhead"),
    "num_channels": ("num_groups", "num_channels"),
    "input_size": ("input_size", "hidden_size"),
    "num_embeddings": ("num_embeddings", "embedding_dim"),
    "normalized_shape": ("normalized_shape",),
}
"""The arguments of the layers' constructors, by the one that is wrong."""


def described(found: Failing, module: Any) -> str:
    """As in `fc1` (Linear, 400 → 120)."""
    kind, own = type(module).__name__, vars(module)
    sizes = ""
    for first, second in (
        ("in_features", "out_features"),
        ("in_channels", "out_channels"),
        ("input_size", "hidden_size"),
    ):
        if first in own and second in own:
            sizes = f", {own[first]} → {own[second]}"
    if "num_embeddings" in own:
        sizes = f", {own['num_embeddings']} rows"
    if "num_features" in own:
        sizes = f", {own['num_features']} features"
    name = module_name(found, module)
    return f"`{name}` ({kind}{sizes})" if name else f"{kind}{f' ({sizes[2:]})' if sizes else ''}"


def at_line(found: Failing, module: Any) -> list[Related]:
    """Where the layer is made."""
    place = constructor(found, module)
    name = module_name(found, module)
    words = f"`{name}` is made here" if name else f"{type(module).__name__} is made here"
    return [Related(place, words)] if place is not None else []


def fixed_layer(found: Failing, module: Any, what: str, size: int) -> list[str]:
    """How the layer is written with the size that it gets; where its line is known, as the user wrote it."""
    place = constructor(found, module)
    call = _call(place, type(module).__name__) if place is not None else None
    if call is None or place is None:
        name = module_name(found, module)
        return [f"{what}={size} for `{name}`" if name else f"{type(module).__name__} with {what}={size}"]
    return [f"line {place.line}: {_with(call, what, size)}"]


def _call(place: Place, kind: str) -> ast.Call | None:
    """The only call on the line that makes such a layer."""
    calls = [call for call in source.calls(place.path, kind) if call.lineno == place.line]
    return calls[0] if len(calls) == 1 else None


def _with(call: ast.Call, what: str, size: int) -> str:
    """The call with one size changed."""
    position = ORDER[what].index(what) if what in ORDER else 0
    args = [source.text(arg) for arg in call.args]
    keywords = [f"{key.arg}={size if key.arg == what else source.text(key.value)}" for key in call.keywords]
    if position < len(args) and not any(key.arg == what for key in call.keywords):
        args[position] = str(size)
    return f"{source.text(call.func)}({', '.join([*args, *keywords])})"


def layer_before(found: Failing, module: Any) -> Any:
    """The part of a Sequential that comes before; None for the first, and outside of one."""
    owner, _ = owner_of(found, module)
    if owner is None or type(owner).__name__ != "Sequential":
        return None
    before: Any = None
    for part in owner._modules.values():
        if part is module:
            return before
        before = part
    return None
