"""`nn.Module`: how big it is, whether it trains, what is frozen; under it what it holds, by name."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from tensorpeek.contract.messages import Presentation, PresentationKind
from tensorpeek.contract.quantities import bytes_text, count_text
from tensorpeek.probe import raw, reach
from tensorpeek.probe.kinds.health import HealthScan, Patient, with_alarm
from tensorpeek.probe.kinds.kind import Child
from tensorpeek.probe.kinds.rows import all_attributes, group
from tensorpeek.probe.presentation import present
from tensorpeek.probe.statistics import scan_tensor
from tensorpeek.probe.tensors.dtypes import element_type

MOST_MODULES = 20_000
"""Submodules that are counted; a larger model says `≥`."""

HOOKS = (
    "_forward_pre_hooks",
    "_forward_hooks",
    "_backward_pre_hooks",
    "_backward_hooks",
    "_state_dict_pre_hooks",
    "_state_dict_hooks",
    "_load_state_dict_pre_hooks",
    "_load_state_dict_post_hooks",
)


@dataclass
class Tensors:
    """Parameters or buffers of a module and everything below it, each counted once."""

    count: int = 0
    elements: int = 0
    bytes: int = 0
    frozen: int = 0
    """Elements that don't require a gradient."""
    devices: Counter[str] = field(default_factory=Counter)
    dtypes: Counter[str] = field(default_factory=Counter)
    held: list[tuple[str, Any, int]] = field(default_factory=list)
    """Where it is, the tensor, and its number of elements."""


@dataclass
class Anatomy:
    """A module and everything below it."""

    parameters: Tensors = field(default_factory=Tensors)
    buffers: Tensors = field(default_factory=Tensors)
    modules: int = 0
    training: int = 0
    """Modules in training mode."""
    lazy: int = 0
    """Parameters that have no shape yet."""
    whole: bool = True


def anatomy(module: Any) -> Anatomy:
    found = Anatomy()
    seen: set[int] = set()
    torch = sys.modules["torch"]
    with torch._C.DisableTorchFunction(), torch._C._DisableTorchDispatch():
        for path, own in walk(module, "", seen):
            found.modules += 1
            found.training += bool(own.get("training"))
            for registry, tensors in (("_parameters", found.parameters), ("_buffers", found.buffers)):
                held = own.get(registry)
                for name, tensor in held.items() if isinstance(held, dict) else ():
                    if tensor is not None and id(tensor) not in seen:
                        seen.add(id(tensor))
                        count_in(tensors, f"{path}{name}", tensor, found)
            if found.modules >= MOST_MODULES:
                found.whole = False
                break
    return found


def walk(module: Any, path: str, seen: set[int]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The path (with a dot at its end) and the attributes of a module and of each one below it, once."""
    waiting = [(path, module)]
    while waiting:
        path, module = waiting.pop()
        if id(module) in seen:
            continue
        seen.add(id(module))
        own = raw.attributes(module)
        yield path, own
        below = own.get("_modules")
        for name, child in reversed(below.items()) if isinstance(below, dict) else ():
            if child is not None:
                waiting.append((f"{path}{name}.", child))


def count_in(tensors: Tensors, where: str, tensor: Any, found: Anatomy) -> None:
    if raw.is_a(type(tensor), "torch.nn.parameter.UninitializedTensorMixin"):
        found.lazy += 1
        return
    try:
        elements = int(tensor.numel())
        size = elements * int(tensor.element_size())
    except Exception:  # noqa: BLE001 - a hostile subclass may refuse; the others still count
        return
    tensors.count += 1
    tensors.elements += elements
    tensors.bytes += size
    if not tensor.requires_grad:
        tensors.frozen += elements
    tensors.devices[str(tensor.device)] += 1
    tensors.dtypes[element_type(tensor.dtype).name] += 1
    tensors.held.append((where, tensor, elements))


class ModuleKind:
    """Read through `__dict__` and the registries: no property and no `__getattr__` of the user's runs."""

    presentation_kind: PresentationKind = "module"

    def matches(self, cls: type) -> bool:
        return raw.is_module(cls)

    def scan(self, value: Any) -> HealthScan | None:
        found = anatomy(value)
        held = found.parameters.held + found.buffers.held
        patients = [
            Patient(where, size, partial(scan_tensor, tensor)) for where, tensor, size in held if size
        ]
        return HealthScan(patients, found) if patients else None

    def present(self, value: Any, scan: HealthScan | None) -> Presentation:
        found = anatomy(value) if scan is None else scan.found
        alarm, text = with_alarm(line(value, found), scan)
        return present(text, self.presentation_kind, alarm=alarm)

    def children(self, value: Any) -> list[Child]:
        own = raw.attributes(value)
        rows: list[Child] = []
        for registry in ("_modules", "_parameters", "_buffers"):
            rows += reach.registered(value, own, registry)
        rows += [
            Child(name, held, reach.attribute_suffix(value, name))
            for name, held in own.items()
            if not name.startswith("_")
        ]
        hooks = [
            Child(f"{kind.strip('_')}[{key}]", hook, f".{kind}[{key!r}]")
            for kind in HOOKS
            for key, hook in (own.get(kind) or {}).items()
        ]
        if hooks:
            rows.append(group("hooks", lambda: hooks, label=str(len(hooks))))
        return [*rows, all_attributes(value)]


def line(module: Any, found: Anatomy) -> str:
    """`Net 1.23M params train 4.92 MB`, and what is out of the ordinary."""
    parameters, buffers = found.parameters, found.buffers
    at_least = "" if found.whole else "≥"
    words = [raw.class_name(type(module))]
    if parameters.count:
        words.append(f"{at_least}{count_text(parameters.elements)} params")
    words.append(mode(module, found))
    if parameters.count:
        words.append(bytes_text(parameters.bytes))
    if list(parameters.dtypes) not in ([], ["f32"]):
        words.append(", ".join(parameters.dtypes))
    if parameters.frozen:
        share = 100 * parameters.frozen / parameters.elements
        words.append("frozen" if parameters.frozen == parameters.elements else f"{share:.3g} % frozen")
    if found.lazy:
        words.append(f"{found.lazy} uninitialized")
    if buffers.count:
        words.append(f"+ {buffers.count} buffer{'s' * (buffers.count > 1)} {bytes_text(buffers.bytes)}")
    devices = parameters.devices + buffers.devices
    if list(devices) not in ([], ["cpu"]):
        words.append(", ".join(devices))
    return " ".join(words)


def mode(module: Any, found: Anatomy) -> str:
    """`train` or `eval` as the module itself has it, and how many below it differ."""
    is_training = bool(raw.attributes(module).get("training"))
    differing = found.modules - found.training if is_training else found.training
    if not differing:
        return "train" if is_training else "eval"
    return f"train ({differing} in eval)" if is_training else f"eval ({differing} in train)"
