"""A copy of a model that has no memory, or shares it; what a pass changes, it changes in the copy."""

from __future__ import annotations

import functools
import sys
from collections import OrderedDict, defaultdict, deque
from enum import Enum
from types import MethodType
from typing import Any, Callable

from tensorpeek.probe.raw import attributes
from tensorpeek.probe.training.places import is_users_file

LONGEST_CONTAINER = 1_000
"""Longer ones are data, and shared."""
MOST_COPIES = 50_000
HEAP_TYPE = 1 << 9
"""Python's flag of a class that is made by a `class` statement."""
SEQUENCES: tuple[type, ...] = (list, tuple, set, deque)
MAPPINGS: tuple[type, ...] = (dict, OrderedDict, defaultdict)


def without_data(model: Any, mode: Any) -> Any:
    """Parameters, buffers and other tensors are fakes of `mode`."""
    return _Copier(lambda tensor, is_buffer: fake_of(tensor, mode)).copied(model)


def with_shared_parameters(model: Any) -> Any:
    """Buffers have memory of their own, since layers write to them."""
    return _Copier(lambda tensor, is_buffer: tensor.detach().clone() if is_buffer else tensor).copied(model)


def with_tensors(tree: Any, tensor: Callable[[Any], Any]) -> Any:
    """Arguments with other tensors, also those that objects of any class hold."""
    tree_map: Any = sys.modules["torch.utils._pytree"].tree_map
    copier = _Copier(lambda one, is_buffer: tensor(one), follows_all=True)
    return tree_map(copier.copied, tree)


def fake_of(tensor: Any, mode: Any) -> Any:
    """Also of a fake that belongs to another mode. What torch has no fake of stays as it is."""
    torch = sys.modules["torch"]
    try:
        other = getattr(tensor, "fake_mode", None)
        if other is mode:
            return tensor
        if other is None:
            return mode.from_tensor(tensor, static_shapes=True)
        with mode, torch.no_grad():
            fake = torch.empty_strided(
                tensor.shape, tensor.stride(), dtype=tensor.dtype, device=tensor.fake_device
            )
        if isinstance(tensor, torch.nn.Parameter):
            return torch.nn.Parameter(fake, tensor.requires_grad)
        return fake.requires_grad_(tensor.requires_grad)
    except Exception:  # noqa: BLE001  sparse, nested, quantized and lazy ones, by version
        return tensor


class _Copier:
    """Follows modules, objects of the user's own classes, and containers; the rest is shared.

    `copy.deepcopy` refuses locks and tensors with a history, and would copy a trainer with its data.
    """

    def __init__(self, tensor: Callable[[Any, bool], Any], follows_all: bool = False) -> None:
        """`follows_all`: also objects of a library's classes, as its batches."""
        self._tensor = tensor
        self._follows_all = follows_all
        self._copies: dict[int, Any] = {}
        torch = sys.modules["torch"]
        self._tensor_type: type = torch.Tensor
        self._module_type: type = torch.nn.Module
        self._is_lazy: Callable[[Any], bool] = torch.nn.parameter.is_lazy

    def copied(self, value: Any) -> Any:
        known = self._copies.get(id(value), self)
        if known is not self:
            return known
        kind = type(value)
        if issubclass(kind, self._tensor_type):
            return self._keep(value, self._one_tensor(value, is_buffer=False))
        if len(self._copies) > MOST_COPIES:
            return value
        if kind in MAPPINGS:
            return self._mapping(value)
        if kind in SEQUENCES:
            return self._sequence(value)
        if kind is MethodType:
            return MethodType(value.__func__, self.copied(value.__self__))
        if kind is functools.partial:
            return functools.partial(
                self.copied(value.func),
                *map(self.copied, value.args),
                **{name: self.copied(word) for name, word in value.keywords.items()},
            )
        return self._object(value) if self._is_followed(kind) else value

    def _keep(self, value: Any, copy: Any) -> Any:
        self._copies[id(value)] = copy
        return copy

    def _one_tensor(self, tensor: Any, is_buffer: bool) -> Any:
        if self._is_lazy(tensor):
            # Its first pass gives it a shape, and the class of what it becomes.
            return tensor.__deepcopy__({})
        return self._tensor(tensor, is_buffer)

    def _mapping(self, value: Any) -> Any:
        if len(value) > LONGEST_CONTAINER:
            return value
        copy = defaultdict(value.default_factory) if type(value) is defaultdict else type(value)()
        self._keep(value, copy)
        copy.update((key, self.copied(entry)) for key, entry in list(value.items()))
        return copy

    def _sequence(self, value: Any) -> Any:
        kind = type(value)
        if len(value) > LONGEST_CONTAINER:
            return value
        if kind is tuple:
            entries = tuple(map(self.copied, value))
            is_same = all(one is other for one, other in zip(entries, value))
            return value if is_same else self._keep(value, entries)
        copy = self._keep(value, deque(maxlen=value.maxlen) if kind is deque else kind())
        entries = [self.copied(entry) for entry in value]
        copy.update(entries) if kind is set else copy.extend(entries)
        return copy

    def _object(self, value: Any) -> Any:
        try:
            copy = object.__new__(type(value))
        except TypeError:  # built on a class of C's
            return value
        self._keep(value, copy)
        own = attributes(value)
        if issubclass(type(value), self._module_type):
            for buffer in list((own.get("_buffers") or {}).values()):
                if buffer is not None and id(buffer) not in self._copies:
                    self._keep(buffer, self._one_tensor(buffer, is_buffer=True))
        object.__getattribute__(copy, "__dict__").update(
            (name, self.copied(entry)) for name, entry in own.items()
        )
        return copy

    def _is_followed(self, kind: type) -> bool:
        """A module that is written in Python, or an object of the user's that has nothing to give back."""
        if hasattr(kind, "__del__") or not kind.__flags__ & HEAP_TYPE or not kind.__dictoffset__:
            return False
        if issubclass(kind, self._module_type):
            return not issubclass(kind, sys.modules["torch"].jit.ScriptModule)
        file = getattr(sys.modules.get(kind.__module__), "__file__", None)
        is_users = isinstance(file, str) and is_users_file(file)
        if not (is_users or self._follows_all) or issubclass(kind, (type, Enum)):
            return False
        return all(
            base is object or (base.__flags__ & HEAP_TYPE and not base.__dict__.get("__slots__"))
            for base in kind.__mro__
        )
