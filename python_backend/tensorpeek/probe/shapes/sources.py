"""Which files a trace annotates: the user's own, and those of libraries that the user asks for."""

from __future__ import annotations

import inspect
import linecache
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any, Callable

from tensorpeek.probe.raw import attributes
from tensorpeek.probe.training.places import is_users_file

NEVER = ("torch", "torchgen", "functorch")
"""Packages that are not rewritten: the trace itself runs in them."""
LARGEST_HELPER = 3_000
"""Lines of a file that is annotated for a function in it alone, and no class of the model's; a tenth of a
second takes two thousand."""


@dataclass(frozen=True)
class Sources:
    packages: tuple[str, ...] = ()
    """Names of top-level packages."""
    has_all: bool = False

    def wanted(self, model: Any) -> Callable[[str], bool]:
        """Says of a file's path whether it is annotated in a trace of `model`.

        Of a library these are the files with a `forward` of the model's, and with what its methods call: to
        rewrite all that is imported of a large one takes half a minute.
        """
        if not self.packages and not self.has_all:
            return is_users_file
        files = frozenset(_files(model, self._is_wanted_package))
        return lambda path: path in files or is_users_file(path)

    def _is_wanted_package(self, module: str) -> bool:
        package = module.partition(".")[0]
        return package not in NEVER and (self.has_all or package in self.packages)


def package_of(model: Any) -> str:
    """Of the library that a model's class is of; empty for one of the user's or of torch's."""
    module = str(type(model).__module__)
    file = getattr(sys.modules.get(module), "__file__", None)
    package = module.partition(".")[0]
    return "" if package in NEVER or not isinstance(file, str) or is_users_file(file) else package


def _files(model: Any, is_wanted: Callable[[str], bool]) -> Iterator[str]:
    listed: Any = getattr(model, "modules", None)
    classes = {
        base
        for kind in {type(module) for module in (listed() if listed is not None else ())}
        for base in kind.__mro__
        if "forward" in base.__dict__ and is_wanted(str(base.__module__))
    }
    for kind in classes:
        for member in list(kind.__dict__.values()):
            function = inspect.unwrap(member) if isinstance(member, FunctionType) else None
            if isinstance(function, FunctionType):
                yield function.__code__.co_filename
                yield from _called(function, str(kind.__module__).partition(".")[0])


def _called(function: FunctionType, package: str) -> Iterator[str]:
    """Files of the functions of the same package that a method names, but for very large ones."""
    scope = attributes(sys.modules.get(function.__module__))
    for name in _names(function.__code__):
        value = scope.get(name)
        if isinstance(value, FunctionType) and str(value.__module__).partition(".")[0] == package:
            inner = inspect.unwrap(value)
            path = inner.__code__.co_filename if isinstance(inner, FunctionType) else ""
            if path and len(linecache.getlines(path)) <= LARGEST_HELPER:
                yield path


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
