"""Parameters that a model uses and does not know: layers in a plain list, `nn.Parameter(…).to(…)`."""

from __future__ import annotations

from typing import Any, NamedTuple

from tensorpeek.probe import raw
from tensorpeek.probe.training import source
from tensorpeek.probe.training.moments import Loss
from tensorpeek.probe.training.places import Place
from tensorpeek.probe.training.report import Report
from tensorpeek.probe.training.user_values import is_tensor

MOST_PARTS = 1000
DEEPEST_CHAIN = 6
"""Operations between a non-leaf attribute and its parameter."""


class Owner(NamedTuple):
    """A module's attribute that holds tensors which the module does not register."""

    module: Any
    path: str
    """Of the module in its root."""
    attribute: str
    is_not_a_leaf: bool
    """The attribute is itself a tensor that was computed from a parameter."""
    parameters: int
    parts: int
    """Layers or parameters in it."""
    kind: str
    """Of the container."""
    made_by: str

    @property
    def key(self) -> str:
        return f"{type(self.module).__name__}.{self.attribute}"


def owners(roots: list[Any], leaves: list[Any]) -> list[Owner]:
    """The attributes of the models' modules under which these leaves of the graph lie.

    A leaf that lies nowhere is a tensor of the user's own: an image that is optimized, an input whose
    gradient is wanted. One in an attribute as it is may be either, and is left alone; a parameter in a list
    is not.
    """
    wanted = {id(leaf): leaf for leaf in leaves}
    found: list[Owner] = []
    for root in roots:
        for path, module in root.named_modules():
            for name, value in list(vars(module).items()):
                if name.startswith("_") and name in ("_parameters", "_buffers", "_modules"):
                    continue
                owner = _owner(module, path, name, value, wanted)
                if owner is not None:
                    found.append(owner)
    return found


def _owner(module: Any, path: str, name: str, value: Any, wanted: dict[int, Any]) -> Owner | None:
    if is_tensor(value):
        if value.is_leaf or not value.requires_grad:
            return None
        made_by = _chain_to(value.grad_fn, wanted)
        return Owner(module, path, name, True, 1, 1, "tensor", made_by) if made_by else None
    if type(value) not in (list, tuple, dict):
        return None
    parts = list(value.values() if type(value) is dict else value)[:MOST_PARTS]
    parameters = [parameter for part in parts for parameter in _parameters(part)]
    if not any(id(parameter) in wanted for parameter in parameters):
        return None
    return Owner(module, path, name, False, len(parameters), len(parts), type(value).__name__, "")


def _parameters(part: Any) -> list[Any]:
    if raw.is_module(type(part)):
        return list(part.parameters())
    if is_tensor(part) and raw.is_a(type(part), "torch.nn.parameter.Parameter"):
        return [part]
    if type(part) in (list, tuple):
        return [parameter for inner in part[:MOST_PARTS] for parameter in _parameters(inner)]
    return []


def _chain_to(function: Any, wanted: dict[int, Any]) -> str:
    """The operation that made a tensor from one of the leaves alone; empty when more went into it."""
    first = function
    for _ in range(DEEPEST_CHAIN):
        if function is None:
            return ""
        variable = getattr(function, "variable", None)
        if variable is not None:
            is_parameter = raw.is_a(type(variable), "torch.nn.parameter.Parameter")
            name: str = first.name()
            return name.rpartition("Backward")[0] if is_parameter and id(variable) in wanted else ""
        following = [each for each, _ in function.next_functions if each is not None]
        function = following[0] if len(following) == 1 else None
    return ""


def report(loss: Loss, owner: Owner) -> Report:
    place = source.attribute_assignment(type(owner.module), owner.attribute)
    at = f" (set at line {place.line})" if place is not None else ""
    if owner.is_not_a_leaf:
        return _not_a_leaf(owner, place, at)
    total = sum(1 for root in loss.training.models.roots() for _ in root.parameters())
    instead = "nn.ModuleDict" if owner.kind == "dict" else "nn.ModuleList"
    return Report(
        "Parameter registered nowhere",
        f"`{owner.key}`{at} is a plain {owner.kind}: its {owner.parts} parts with {owner.parameters} "
        "parameters are used and get gradients, but the module does not know them, so no optimizer has them "
        "and to(), state_dict() and train() pass them by.",
        place=place,
        module=owner.path,
        value=float(owner.parameters),
        evidence=[f"{owner.key}: {owner.parameters} parameters in a {owner.kind}; {total} are registered"],
        next=[f"Keep them in {instead} (or nn.ParameterList), before the optimizer is built."],
    )


def _not_a_leaf(owner: Owner, place: Place | None, at: str) -> Report:
    return Report(
        "Parameter registered nowhere",
        f"`{owner.key}`{at} requires grad but is not a leaf: {owner.made_by} made it from an nn.Parameter, "
        "which nothing holds. It is not in parameters(), gets no .grad and is not trained.",
        place=place,
        module=owner.path,
        evidence=[
            f"{owner.key}: grad_fn is {owner.made_by}, not in {type(owner.module).__name__}.parameters()"
        ],
        next=["Put the conversion inside: nn.Parameter(tensor.to(…)); or convert the whole module."],
    )
