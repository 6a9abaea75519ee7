"""From a tensor of any kind to the ordinary strided one whose memory holds its elements."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple


class Readable(NamedTuple):
    """What to read for a tensor."""

    tensor: Any
    """An ordinary strided tensor, None when there is none."""
    through: tuple[str, ...] = ()
    """What was looked through, outermost first, as in `vmap` or `values`."""
    why_not: str = ""
    """Why there is nothing to read, in a few words."""
    on_device: Any = None
    """An ordinary strided tensor in the memory of another device, which can be read there if `why_not` is
    empty."""


plain_keys: set[int] = set()
"""Dispatch key sets that were found to belong to ordinary strided CPU tensors without lazy negation."""


def readable(tensor: Any) -> Readable:
    """What to read for a tensor; never raises, dispatches to the user's modes, or runs a subclass's code."""
    core = sys.modules["torch"]._C
    if hasattr(type(tensor), "materialize"):
        # A lazy module's parameter, which has no shape yet and raises when asked.
        return Readable(None, (), "uninitialized")
    try:
        if core._dispatch_keys(tensor).raw_repr() in plain_keys:
            return Readable(tensor)
        with core.DisableTorchFunction(), core._DisableTorchDispatch():
            found = _unwrap(tensor, core, ())
            if found.tensor is tensor and not (
                _has_python_key(tensor) or tensor.is_neg() or tensor.is_conj() or tensor.is_quantized
            ):
                plain_keys.add(core._dispatch_keys(tensor).raw_repr())
        return found
    except Exception as error:  # noqa: BLE001  a torch without one of these calls leaves the head of the line
        return Readable(None, (), f"{type(error).__name__} while reading")


def _has_python_key(tensor: Any) -> bool:
    torch = sys.modules["torch"]
    dispatch = getattr(type(tensor), "__torch_dispatch__", None)
    return dispatch is not getattr(torch.Tensor, "__torch_dispatch__", None)


def _unwrap(tensor: Any, core: Any, through: tuple[str, ...]) -> Readable:
    functorch = core._functorch
    while functorch.is_functorch_wrapped_tensor(tensor):
        if functorch.is_batchedtensor(tensor):
            level = "vmap"
        elif functorch.is_gradtrackingtensor(tensor):
            level = "grad"
        else:
            level = "functional"
        through = (*through, level)
        tensor = functorch.get_unwrapped(tensor)
    if _is_fake(tensor):
        return Readable(None, through, "fake")
    if tensor.is_meta:
        return Readable(None, through, "meta")
    if _has_python_key(tensor):
        for attribute, name in _WRAPPED:
            inner = _attribute(tensor, attribute)
            if inner is not None:
                return _unwrap(inner, core, (*through, name))
    layout = str(tensor.layout).rpartition(".")[2]
    if layout == "sparse_coo":
        return _unwrap(_below_autograd(core, tensor._values), core, (*through, "values"))
    if layout.startswith("sparse_"):
        return _unwrap(_below_autograd(core, tensor.values), core, (*through, "values"))
    if layout == "_mkldnn":
        return Readable(None, through, "opaque layout")
    if tensor.is_nested:
        return _unwrap(_below_autograd(core, tensor.values), core, (*through, "values"))
    if tensor._is_zerotensor():
        return Readable(None, through, "zeros without storage")
    if tensor.device.type == "cuda":
        return Readable(None, through, "", tensor)
    if tensor.device.type != "cpu":
        return Readable(None, through, f"on {tensor.device.type}", tensor)
    return Readable(tensor, through)


_WRAPPED = (("_local_tensor", "local"), ("_values", "values"), ("elem", "elem"))
"""Attributes that hold the data of DTensor, of jagged nested tensors, and of asynchronous collectives."""


def _attribute(tensor: Any, name: str) -> Any:
    """A plain attribute that holds a tensor, without running the class's own code."""
    try:
        value = object.__getattribute__(tensor, name)
    except AttributeError:
        return None
    return value if isinstance(value, sys.modules["torch"].Tensor) else None


def _below_autograd(core: Any, alias: Any) -> Any:
    """Calls what gives an alias of a tensor's values, unseen by autograd and its hooks."""
    with core._AutoDispatchBelowAutograd():
        return alias()


def alias(tensor: Any, method: str) -> Any:
    """What a method of torch's own gives that only makes an alias, as in `_indices`, unseen by modes and
    hooks."""
    core = sys.modules["torch"]._C
    with core.DisableTorchFunction(), core._DisableTorchDispatch():
        return _below_autograd(core, getattr(tensor, method))


def _is_fake(tensor: Any) -> bool:
    module = sys.modules.get("torch._subclasses.fake_tensor")
    return module is not None and isinstance(tensor, module.FakeTensor)
