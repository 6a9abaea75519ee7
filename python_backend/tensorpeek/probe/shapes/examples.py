"""Example inputs that the user has marked, and what a signature says of them.

    # tensorpeek: example_input = torch.randn(4, 3, 32, 32)

or a function or value `example_inputs` / `example_input`, in the module or on the class. A tuple is several
arguments, a dict is keywords; any other name in such a comment is a keyword of the call.
"""

from __future__ import annotations

import inspect
import io
import re
import sys
import tokenize
from types import ModuleType
from typing import Any

NAMES = ("example_inputs", "example_input")
MODEL = "example_model"
COMMENT = re.compile(r"#\s*tensorpeek:\s*([A-Za-z_]\w*)\s*=\s*(.+)")
NO_CONFIG = (inspect.Parameter.empty, int, float, str, bool, bytes, list, dict, tuple, set)
"""Annotations that say nothing of a value."""
Arguments = tuple[tuple[Any, ...], dict[str, Any]]


class NoExample(Exception):
    """What is missing, for the user."""


def marked(module: ModuleType, owner: Any) -> Arguments | None:
    """The marked arguments of a class, or of a function that makes a model. None where none are."""
    for holder in (vars(owner) if isinstance(owner, type) else {}, vars(module)):
        for name in NAMES:
            if name in holder:
                value = getattr(owner, name) if holder is not vars(module) else holder[name]
                return _arguments(value() if callable(value) and not _is_tensor(value) else value)
    texts = comments(module, owner)
    texts.pop(MODEL, None)
    if not texts:
        return None
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = {}
    for name, text in texts.items():
        value = evaluated(text, module, name)
        if name in NAMES:
            args, named = _arguments(value)
            kwargs.update(named)
        else:
            kwargs[name] = value
    return args, kwargs


def models_of(module: ModuleType) -> list[tuple[str, type]]:
    """The classes of models that a module defines, in their order, by name."""
    kind = sys.modules["torch"].nn.Module
    return [
        (name, value)
        for name, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, kind) and value.__module__ == module.__name__
    ]


def comments(module: ModuleType, owner: Any) -> dict[str, str]:
    """Those inside of the class, or else those outside of any class; by name."""
    try:
        source = inspect.getsource(module)
    except (OSError, TypeError):
        return {}
    found = parsed_comments(source)
    try:
        lines, first = inspect.getsourcelines(owner)
    except (OSError, TypeError):
        return {name: text for _, name, text, indented in found if not indented}
    within = range(first, first + len(lines))
    # A comment right above a class is its own as well.
    own = {name: text for line, name, text, _ in found if line in within or line + 1 == first}
    return own or {name: text for _, name, text, is_indented in found if not is_indented}


def parsed_comments(source: str) -> list[tuple[int, str, str, bool]]:
    """Line, name, expression, and whether it is indented; comments up to where the text can't be read."""
    found: list[tuple[int, str, str, bool]] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            match = COMMENT.match(token.string) if token.type == tokenize.COMMENT else None
            if match:
                found.append((token.start[0], match.group(1), match.group(2).strip(), token.start[1] > 0))
    except (tokenize.TokenError, SyntaxError):
        pass
    return found


def evaluated(text: str, module: ModuleType, name: str) -> Any:
    """Raises NoExample."""
    try:
        return eval(text, dict(vars(module)))  # noqa: S307 the user's own expression, in the user's module
    except Exception as error:  # noqa: BLE001  whatever the user's code raises is told
        raise NoExample(f"`{name} = {text}` raises {type(error).__name__}: {error}") from None


def built(module: ModuleType, owner: Any) -> Any:
    """The model: an instance as it is, a class or a function called with what its signature says.

    Raises NoExample, and whatever the user's constructor raises.
    """
    text = comments(module, owner).get(MODEL)
    if text is not None:
        return evaluated(text, module, MODEL)
    if _is_module(owner):
        return owner
    args, kwargs = from_signature(owner)
    return owner(*args, **kwargs)


def from_signature(owner: Any) -> Arguments:
    """What a class or function is called with to make the model. Raises NoExample."""
    kwargs: dict[str, Any] = {}
    missing: list[str] = []
    try:
        parameters = inspect.signature(owner).parameters.values()
    except (TypeError, ValueError):
        return (), {}
    for parameter in parameters:
        if parameter.default is not parameter.empty or parameter.kind in (
            parameter.VAR_POSITIONAL,
            parameter.VAR_KEYWORD,
        ):
            continue
        annotation = parameter.annotation
        if isinstance(annotation, str):
            scope = getattr(sys.modules.get(getattr(owner, "__module__", "")), "__dict__", {})
            annotation = scope.get(annotation, annotation)
        # A config that has defaults itself.
        if isinstance(annotation, type) and annotation not in NO_CONFIG:
            try:
                kwargs[parameter.name] = annotation()
                continue
            except Exception:  # noqa: BLE001  told as missing
                pass
        missing.append(parameter.name)
    if missing:
        name = getattr(owner, "__name__", "Model")
        words = ", ".join(f"{word}=…" for word in missing)
        raise NoExample(
            f"{name} needs {', '.join(missing)}: say how it is made in a comment above it, "
            f"`# tensorpeek: {MODEL} = {name}({words})`"
        )
    return (), kwargs


def guessed(model: Any) -> Arguments | None:
    """For a model with one argument: what its first layer takes. None where that says nothing."""
    required = [
        parameter
        for parameter in inspect.signature(model.forward).parameters.values()
        if parameter.default is parameter.empty
        and parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    ]
    if len(required) != 1:
        return None
    torch = sys.modules["torch"]
    for layer in model.modules():
        name = type(layer).__name__
        if name == "Linear":
            return (torch.randn(4, layer.in_features),), {}
        if re.fullmatch(r"Conv[123]d", name):
            return (torch.randn(4, layer.in_channels, *[64] * int(name[4])),), {}
        if name == "Embedding":
            return (torch.zeros(4, 16, dtype=torch.long),), {}
        if name in ("LSTM", "GRU", "RNN"):
            return (torch.randn(4, 16, layer.input_size),), {}
    return None


def _arguments(value: Any) -> Arguments:
    if isinstance(value, dict):
        return (), dict(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    if isinstance(value, (tuple, list)):
        return tuple(value), {}  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return (value,), {}


def _is_tensor(value: Any) -> bool:
    return isinstance(value, sys.modules["torch"].Tensor)


def _is_module(value: Any) -> bool:
    return isinstance(value, sys.modules["torch"].nn.Module)
