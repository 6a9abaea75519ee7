"""The user's functions that a call of a model may come to, by what their names lead to.

To ask the garbage collector for all functions takes longer than a small step. So this begins at the classes
of the model's modules and follows the names in their code: what is reached in other ways stays untraced.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from types import CodeType, FunctionType, ModuleType
from typing import Any, Callable

from tensorpeek.probe.raw import attributes
from tensorpeek.probe.shapes.swap import within

FOREIGN = ("torch", "builtins", "numpy", "typing", "functools", "collections", "abc")
"""Packages whose classes hold no function of the user's."""
COMPILED = "_torchdynamo_orig_callable"
"""Attribute of a function that `torch.compile` has made."""
MOST = 5_000


class CalledFunctions:
    """Grows: what was followed once is not followed again, unless a name in it had no value yet."""

    def __init__(self, wants: Callable[[str], bool]) -> None:
        """`wants` says of a file's path whether its functions are."""
        self._wants = wants
        self._seen: set[int] = set()
        self._kinds: dict[int, type] = {}
        """By address: a class may define its hash."""
        self._unbound: dict[FunctionType, list[str]] = {}
        self.functions: list[FunctionType] = []
        """Those that are wanted."""
        self.are_compiled = False
        """Whether one of those that were met is compiled by torch."""

    def add_class(self, kind: type) -> None:
        self._follow([kind])

    def add_call(self, modules: Iterable[Any], arguments: Iterable[Any]) -> None:
        """All that a call of a model with these modules may come to by now."""
        waiting: list[Any] = [type(argument) for argument in arguments]
        known = self._kinds
        for module in modules:
            kind = type(module)
            if id(kind) not in known:
                waiting.append(kind)
            if _is_foreign(kind):
                continue
            # Functions and helpers that a module keeps.
            for value in object.__getattribute__(module, "__dict__").values():
                held = type(value)
                if held is FunctionType:
                    waiting.append(value)
                elif id(held) not in known:
                    waiting.append(held)
        for function, names in list(self._unbound.items()):
            del self._unbound[function]
            waiting += self._named(function, names)
        self._follow(waiting)

    def _follow(self, waiting: list[Any]) -> None:
        while waiting and len(self.functions) < MOST:
            value = waiting.pop()
            if type(value) is FunctionType:
                self._add_function(value, waiting)
            elif issubclass(type(value), type) and id(value) not in self._kinds:
                waiting += self._members(value)

    def _add_function(self, function: FunctionType, waiting: list[Any]) -> None:
        if id(function) in self._seen:
            return
        self._seen.add(id(function))
        for inner in within(function):
            self.are_compiled = self.are_compiled or COMPILED in inner.__dict__
            if inner is not function:
                waiting.append(inner)
        code = function.__code__
        if self._wants(code.co_filename):
            self.functions.append(function)
            waiting += self._named(function, list(dict.fromkeys(_names(code))))

    def _members(self, kind: type) -> Iterable[Any]:
        for base in type.__getattribute__(kind, "__mro__"):
            if id(base) in self._kinds:
                continue
            self._kinds[id(base)] = base
            if _is_foreign(base):
                continue
            for member in list(type.__getattribute__(base, "__dict__").values()):
                yield from within(member)

    def _named(self, function: FunctionType, names: list[str]) -> Iterable[Any]:
        scope = function.__globals__
        unbound: list[str] = []
        for name in names:
            value = scope.get(name, scope)
            if value is scope:
                unbound.append(name)
            elif type(value) is ModuleType:
                if self._wants(str(attributes(value).get("__file__", "<"))):
                    inside = attributes(value)
                    yield from (inside[each] for each in names if each in inside)
            elif type(value) is FunctionType or issubclass(type(value), type):
                yield value
            else:
                yield type(value)
        if unbound:
            self._unbound[function] = unbound


def _is_foreign(kind: type) -> bool:
    module = type.__getattribute__(kind, "__dict__").get("__module__", "builtins")
    return str(module).partition(".")[0] in FOREIGN


def _names(code: CodeType) -> Iterable[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if type(constant) is CodeType:
            yield from _names(constant)


def are_compiled(modules: Iterable[Any]) -> bool:
    """Whether torch compiles one of the modules, or has compiled anything yet."""
    counters = getattr(sys.modules.get("torch._dynamo.utils"), "counters", {})
    if counters.get("frames", {}).get("total"):
        return True
    script: Any = getattr(getattr(sys.modules["torch"], "jit", None), "ScriptModule", ())
    return any(
        type(module).__name__ == "OptimizedModule"
        or module._compiled_call_impl is not None
        or isinstance(module, script)
        for module in modules
    )
