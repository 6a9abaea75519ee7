"""What a value holds, with the Python that leads there: the edges along which values are walked."""

from __future__ import annotations

import enum
import math
import sys
import types
from collections import UserDict, UserList, deque
from collections.abc import Iterator
from itertools import islice
from typing import Any

from tensorpeek.probe import raw
from tensorpeek.probe.kinds.kind import Child, Evaluate
from tensorpeek.probe.types_map import TypeMap

BUILTINS = (list, tuple, dict, set, frozenset, deque)
CONTAINERS = (*BUILTINS, UserDict, UserList)
SIMPLE_KEYS = (str, int, bool, bytes, type(None))
LONGEST_KEY = 1000
"""Characters of a key that is written out; a document or a number of any length may be one."""
WORDS = (
    "torch.dtype", "torch.device", "torch.layout", "numpy.number", "numpy.bool", "numpy.dtype",
    "pathlib.PurePath", "pathlib._local.PurePath", "datetime.date", "datetime.timedelta", "uuid.UUID",
    "fractions.Fraction", "decimal.Decimal",
)  # fmt: skip
WORD_MODULES = {name.partition(".")[0] for name in WORDS}
"""A subclass from elsewhere may have a text of its own."""
NEVER_OPENED = (
    type, types.ModuleType, types.FunctionType, types.MethodType, types.BuiltinFunctionType, types.CodeType,
    types.FrameType, types.TracebackType, types.GeneratorType, str, bytes, bytearray, int, float, complex,
    type(None),
)  # fmt: skip


_containers: TypeMap[bool] = TypeMap()


def is_container(cls: type) -> bool:
    """Whether values of the class are shown by what is inside them; dataclasses and namedtuples too."""
    known = _containers.get(cls)
    if known is None:
        is_dataclass = raw.in_class(cls, "__dataclass_fields__") is not raw.MISSING
        known = is_dataclass or any(base is container for base in raw.bases(cls) for container in CONTAINERS)
        _containers.set(cls, known)
    return known


def field_names(value: Any) -> tuple[str, ...] | None:
    """The names by which a namedtuple or dataclass calls its parts, None for other values."""
    cls = raw.class_of(value)
    if raw.derives(value, tuple):
        fields = raw.in_class(cls, "_fields")
    elif raw.derives(value, *CONTAINERS):
        return None
    else:
        fields = raw.in_class(cls, "__dataclass_fields__")
    return tuple(fields) if raw.derives(fields, tuple, dict) else None


def builtin_of(container: Any) -> Any:
    """The builtin class whose methods read the container, None where there is none."""
    return next((base for base in BUILTINS if raw.derives(container, base)), None)


def size(container: Any) -> int:
    """How many parts a container or dataclass has, without its own `__len__`."""
    fields = field_names(container)
    if fields is not None:
        return len(fields)
    container = unwrapped(container)
    base = builtin_of(container)
    return 0 if base is None else base.__len__(container)


def parts(container: Any, start: int = 0, stop: int | None = None) -> Iterator[Child]:
    """The parts of a container or dataclass by position, without its own `__iter__`."""
    fields = field_names(container)
    if fields is not None:
        yield from islice(field_parts(container, fields), start, stop)
        return
    container = unwrapped(container)
    base = builtin_of(container)
    if base is dict:
        for index, (key, value) in islice(enumerate(dict.items(container)), start, stop):
            yield Child(key_name(key, index), value, key_suffix(key, index))
    elif base is not None:
        if base in (list, tuple) and stop is not None:
            chosen = iter(base.__getitem__(container, slice(start, stop)))
        else:
            chosen = islice(base.__iter__(container), start, stop)
        for index, value in enumerate(chosen, start):
            yield Child(f"[{index}]", value, listed(index) if base in (set, frozenset) else f"[{index}]")


def field_parts(value: Any, fields: tuple[str, ...]) -> Iterator[Child]:
    """The fields that are set, in their order."""
    if raw.derives(value, tuple):
        held = dict(zip(fields, tuple.__iter__(value)))
    else:
        held = raw.attributes(value)
    for name in fields:
        if name in held:
            yield Child(name, held[name], f".{name}")


def unwrapped(container: Any) -> Any:
    """The dict inside a UserDict (HF's batches are such), the list inside a UserList."""
    if raw.derives(container, UserDict, UserList):
        inner = raw.attributes(container).get("data")
        return inner if raw.derives(inner, dict, list) else {}
    return container


def key_name(key: object, index: int) -> str:
    return repr(key) if is_literal(key) or is_word(key) else f"{raw.class_name(type(key))} key {index}"


def key_suffix(key: object, index: int) -> Evaluate:
    """`['x']` where the key can be written down, else the way by position."""
    return f"[{key!r}]" if is_literal(key) else values_listed(index)


def is_literal(key: Any) -> bool:
    if type(key) is tuple:
        return all(is_literal(item) for item in key)
    if raw.exactly(key, str, bytes):
        return len(key) <= LONGEST_KEY
    if type(key) is int:
        return key.bit_length() <= LONGEST_KEY
    return raw.exactly(key, *SIMPLE_KEYS) or (type(key) is float and math.isfinite(key))


def is_word(key: Any) -> bool:
    """Whether the text of a key runs nobody's code: a dtype, a path, a date, a member of an enumeration."""
    if type(key) is tuple:
        return all(is_literal(item) or is_word(item) for item in key)
    if raw.is_a(type(key), "enum.Enum"):
        has_own_repr = raw.in_class(type(key), "__repr__") is not enum.Enum.__dict__["__repr__"]
        return not has_own_repr and is_literal(raw.attributes(key).get("_value_"))
    return raw.is_a(type(key), *WORDS) and raw.module_name(type(key)).partition(".")[0] in WORD_MODULES


def values_listed(index: int) -> Evaluate:
    return lambda parent: f"list({parent}.values())[{index}]"


def listed(index: int) -> Evaluate:
    return lambda parent: f"list({parent})[{index}]"


_can_hold: TypeMap[bool] = TypeMap()


def can_hold(cls: type) -> bool:
    """Whether values of the class can be or hold a tensor in a way that is worth walking."""
    known = _can_hold.get(cls)
    if known is None:
        never = any(base is leaf for base in raw.bases(cls) for leaf in NEVER_OPENED)
        known = not never and not raw.module_name(cls).startswith(("_pydev", "pandas"))
        _can_hold.set(cls, known)
    return known


def members(value: Any) -> Iterator[Child]:
    """Everything a value holds that can be or hold a tensor: parts, submodules, attributes, a gradient."""
    cls = raw.class_of(value)
    if not can_hold(cls):
        return
    if is_container(cls):
        yield from parts(value)
        if raw.derives(value, *CONTAINERS):
            return
    if raw.is_module(cls):
        yield from module_members(value)
    elif raw.is_a(cls, "torch.Tensor"):
        yield from tensor_members(value)
    else:
        for name, held in raw.attributes(value).items():
            if raw.exactly(name, str) and name.isidentifier():
                yield Child(name, held, attribute_suffix(value, name))


def module_members(module: Any) -> Iterator[Child]:
    """Parameters, buffers and submodules by name, then the other attributes of an `nn.Module`."""
    own = raw.attributes(module)
    for registry in ("_parameters", "_buffers", "_modules"):
        yield from registered(module, own, registry)
    for name, value in own.items():
        if not name.startswith("_") and name != "training":
            yield Child(name, value, attribute_suffix(module, name))


def registered(module: object, own: dict[str, Any], registry: str) -> Iterator[Child]:
    """What a module holds in one of its registries, None left out."""
    held: Any = own.get(registry)
    for name, value in list(held.items()) if raw.derives(held, dict) else ():
        if value is not None:
            yield Child(name, value, registered_suffix(module, own, registry, name))


def registered_suffix(module: object, own: dict[str, Any], registry: str, name: str) -> Evaluate:
    """`.fc`, or `[0]` in a Sequential; through the registry where the name is hidden or no identifier."""
    if name.isidentifier() and name not in own and raw.in_class(type(module), name) is raw.MISSING:
        return f".{name}"
    indexed = ("torch.nn.modules.container.Sequential", "torch.nn.modules.container.ModuleList")
    if name.isdigit() and registry == "_modules" and raw.is_a(type(module), *indexed):
        return f"[{name}]"
    return f".{registry}[{name!r}]"


def attribute_suffix(value: object, name: str) -> Evaluate:
    """`.name`, or through the dictionary where a property of that name stands before it."""
    in_bases = raw.in_class(type(value), name)
    if raw.has_setter(in_bases) and type(in_bases) is not raw.SLOT:
        return f".__dict__[{name!r}]"
    return f".{name}"


def tensor_members(tensor: Any) -> Iterator[Child]:
    """The gradient of a leaf; reading that of another tensor warns."""
    core = sys.modules["torch"]._C
    base = core.TensorBase
    with core.DisableTorchFunction(), core._DisableTorchDispatch():
        grad = base.grad.__get__(tensor) if base.is_leaf.__get__(tensor) else None
    if grad is not None:
        yield Child("grad", grad, ".grad")


def expression(parent: str, evaluate: Evaluate) -> str:
    """The child's expression, empty where there is none."""
    if evaluate is None or not parent:
        return ""
    return evaluate(parent) if callable(evaluate) else parent + evaluate
