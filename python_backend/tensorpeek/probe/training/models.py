"""The models of a training, found by their calls, and the names of what is in them."""

from __future__ import annotations

import weakref
from typing import Any

WRAPPERS = ("module.", "_orig_mod.")
"""What DistributedDataParallel and torch.compile put before every name."""


class Models:
    def __init__(self) -> None:
        self._roots: dict[int, weakref.ref[Any]] = {}
        self._modules: dict[int, tuple[weakref.ref[Any], str]] = {}
        self._parameters: dict[int, tuple[weakref.ref[Any], str]] = {}
        self._taken: dict[str, int] = {}
        """The parameter that has a name."""

    def add_root(self, module: Any) -> bool:
        """Learns a module that the program calls; True if it was unknown."""
        if self._known(self._modules, module) is not None:
            return False
        whole = module
        inside = set(map(id, module.modules()))
        for key, root in list(self._roots.items()):
            if key in inside or root() is None:
                del self._roots[key]
        self._roots[id(whole)] = weakref.ref(whole)
        self._learn(whole)
        return True

    def roots(self) -> list[Any]:
        """The outermost modules that are alive, in the order of their first calls."""
        return [module for root in self._roots.values() if (module := root()) is not None]

    def name_of_parameter(self, parameter: Any) -> str:
        """As in `encoder.weight`; unique among the models; empty when no model has it."""
        name = self._known(self._parameters, parameter)
        if name is None and getattr(parameter, "requires_grad", False) and self._relearn(parameter):
            name = self._known(self._parameters, parameter)
        return name or ""

    def module_path(self, module: Any) -> str:
        """Its path in its root; empty for a root and for what no root has."""
        return self._known(self._modules, module) or ""

    def names(self, module: Any) -> list[str]:
        """The paths of all modules in a root, in order, without the root itself."""
        return [_plain(path) for path, _ in module.named_modules() if _plain(path)]

    def _relearn(self, parameter: Any) -> bool:
        """Looks for a parameter that is new in a model; False when no model has it."""
        for root in self.roots():
            if any(found is parameter for found in root.parameters()):
                self._learn(root)
                return True
        self._parameters[id(parameter)] = (weakref.ref(parameter), "")
        return False

    def _learn(self, root: Any) -> None:
        for path, module in root.named_modules():
            self._modules[id(module)] = (weakref.ref(module), _plain(path))
        for path, parameter in root.named_parameters():
            key = id(parameter)
            name = self._free_name(_plain(path), type(root).__name__, parameter)
            self._taken[name] = key
            self._parameters[key] = (weakref.ref(parameter), name)

    def _free_name(self, path: str, owner: str, parameter: Any) -> str:
        name, number = path, 1
        while self._is_taken(name, parameter):
            name = f"{owner}.{path}" if number == 1 else f"{owner}{number}.{path}"
            number += 1
        return name

    def _is_taken(self, name: str, parameter: Any) -> bool:
        holder = self._parameters.get(self._taken.get(name, 0))
        if holder is None or holder[1] != name:
            return False
        alive = holder[0]()
        return alive is not None and alive is not parameter

    @staticmethod
    def _known(table: dict[int, tuple[weakref.ref[Any], str]], thing: Any) -> str | None:
        entry = table.get(id(thing))
        return entry[1] if entry is not None and entry[0]() is thing else None


def _plain(path: str) -> str:
    """Without what wrappers put into it."""
    path += "."
    for wrapper in WRAPPERS:
        while path.startswith(wrapper):
            path = path[len(wrapper) :]
    return path.replace("._orig_mod.", ".").rstrip(".")
