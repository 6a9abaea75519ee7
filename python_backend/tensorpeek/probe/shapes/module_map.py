"""The tree of a model's modules, with what each gave in the traced call."""

from __future__ import annotations

import inspect
import sys
from types import TracebackType
from typing import Any

from tensorpeek.contract.messages import ShapeValue, TracedModule
from tensorpeek.probe.shapes.values import described
from tensorpeek.probe.training.places import is_users_file, place_of, user_frame


class ModuleMap:
    """While it is entered, notes the output of every call of a module."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._outputs: dict[int, ShapeValue] = {}
        self._calls: dict[int, int] = {}
        self._bytes: dict[int, int] = {}
        self._places: dict[int, tuple[str, int]] = {}

    def __enter__(self) -> ModuleMap:
        modules: Any = sys.modules["torch.nn.modules.module"]
        modules._global_forward_hooks[self] = self._returned
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        modules: Any = sys.modules["torch.nn.modules.module"]
        modules._global_forward_hooks.pop(self, None)

    def _returned(self, module: Any, args: tuple[Any, ...], output: Any) -> None:
        try:
            key = id(module)
            self._calls[key] = self._calls.get(key, 0) + 1
            value = described(output)
            if value is not None:
                self._outputs[key] = value
                self._bytes[key] = self._bytes.get(key, 0) + _bytes(value)
            place = place_of(user_frame())
            if place is not None:
                self._places[key] = (place.path, place.line)
        except Exception:  # noqa: BLE001  the program must not notice a fault of ours
            pass

    def rows(self, flops: dict[int, int] | None = None) -> list[TracedModule]:
        """`flops`: by the module's address."""
        return [self._row(path, module, flops or {}) for path, module in self._model.named_modules()]

    def _row(self, path: str, module: Any, flops: dict[int, int]) -> TracedModule:
        key = id(module)
        file, line = _defined(type(module))
        call_path, call_line = self._places.get(key, ("", 0))
        parameters = list(module.parameters())
        return {
            "path": path,
            "type": type(module).__name__,
            "file": file,
            "line": line,
            "callPath": call_path,
            "callLine": call_line,
            "output": self._outputs.get(key),
            "parameters": sum(int(parameter.numel()) for parameter in parameters),
            "parameterBytes": sum(
                int(parameter.numel()) * parameter.element_size() for parameter in parameters
            ),
            "flops": flops.get(key, 0),
            "bytes": self._bytes.get(key, 0),
            "calls": self._calls.get(key, 0),
        }


def _defined(kind: type) -> tuple[str, int]:
    try:
        path = inspect.getsourcefile(kind) or ""
        return (path, inspect.getsourcelines(kind)[1]) if is_users_file(path) else ("", 0)
    except (OSError, TypeError):
        return "", 0


def _bytes(value: ShapeValue) -> int:
    if value["kind"] == "container":
        return sum(_bytes(item["value"]) for item in value["items"])
    if value["kind"] != "tensor" or -1 in value["sizes"]:
        return 0
    count = 1
    for size in value["sizes"]:
        count *= size
    dtype = getattr(sys.modules["torch"], value["dtype"], None)
    return count * int(getattr(dtype, "itemsize", 4))
