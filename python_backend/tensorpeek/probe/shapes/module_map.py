"""The tree of a model's modules, with what each gave in the traced call."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from types import FrameType, TracebackType
from typing import Any, Callable

from tensorpeek.contract.messages import ShapeValue, TracedModule
from tensorpeek.probe.shapes.class_lines import line_of
from tensorpeek.probe.shapes.recorder import MOST_ORDER, MOST_VALUES
from tensorpeek.probe.shapes.values import described
from tensorpeek.probe.training.places import Place, is_users_file, place_of


@dataclass
class _Calls:
    """Of one module."""

    count: int = 0
    outputs: list[ShapeValue] = field(default_factory=list[ShapeValue])
    order: list[int] = field(default_factory=list[int])
    bytes: int = 0
    place: Place | None = None


@dataclass(frozen=True)
class _Row:
    path: str
    module: Any
    same_as: str
    tied_to: str


class ModuleMap:
    """While it is entered, notes every call of a module and its output."""

    def __init__(self, model: Any, wants: Callable[[str], bool] = is_users_file) -> None:
        """`wants`: whether a file, by its path, is annotated, so that a call in it is worth going to."""
        self._model = model
        self._wants = wants
        self._calls: dict[int, _Calls] = {}
        self._definitions: dict[type, tuple[str, int]] = {}

    def __enter__(self) -> ModuleMap:
        modules: Any = sys.modules["torch.nn.modules.module"]
        modules._global_forward_pre_hooks[self] = self._called
        modules._global_forward_hooks[self] = self._returned
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        modules: Any = sys.modules["torch.nn.modules.module"]
        modules._global_forward_pre_hooks.pop(self, None)
        modules._global_forward_hooks.pop(self, None)

    def _called(self, module: Any, args: tuple[Any, ...]) -> None:
        try:
            self.add_call(module, place_of(self._caller(sys._getframe(1))))  # pyright: ignore[reportPrivateUsage]
        except Exception:  # noqa: BLE001  the program must not notice a fault of ours
            pass

    def _returned(self, module: Any, args: tuple[Any, ...], output: Any) -> None:
        try:
            self.add_output(module, described(output))
        except Exception:  # noqa: BLE001  the program must not notice a fault of ours
            pass

    def add_call(self, module: Any, place: Place | None) -> None:
        calls = self._calls.setdefault(id(module), _Calls())
        calls.count += 1
        if calls.place is None:
            calls.place = place

    def add_output(self, module: Any, value: ShapeValue | None) -> None:
        if value is not None:
            calls = self._calls.setdefault(id(module), _Calls())
            calls.bytes += _bytes(value)
            _note(calls, value)

    def _caller(self, frame: FrameType | None) -> FrameType | None:
        while frame is not None and not self._wants(frame.f_code.co_filename):
            frame = frame.f_back
        return frame

    def rows(self, flops: dict[int, int] | None = None) -> list[TracedModule]:
        """`flops`: by the module's address."""
        base: Any = sys.modules["torch.nn"].Module
        rows = _tree(self._model) if isinstance(self._model, base) else ()
        return _with_lists([self._row(row, flops or {}) for row in rows])

    def _row(self, row: _Row, flops: dict[int, int]) -> TracedModule:
        key = id(row.module)
        calls = self._calls.get(key, _Calls())
        file, line = self._defined(type(row.module))
        known = _sized(row.module.parameters())
        own = _sized(row.module.parameters(recurse=False))
        return {
            "path": row.path,
            "type": type(row.module).__name__,
            "file": file,
            "line": line,
            "callPath": calls.place.path if calls.place is not None else "",
            "callLine": calls.place.line if calls.place is not None else 0,
            "outputs": calls.outputs,
            "order": calls.order,
            "parameters": _elements(known),
            "trainable": _elements(each for each in known if each.requires_grad),
            "ownParameters": _elements(own),
            "ownTrainable": _elements(each for each in own if each.requires_grad),
            "parameterBytes": sum(int(each.numel()) * each.element_size() for each in known),
            "flops": flops.get(key, 0),
            "bytes": calls.bytes,
            "calls": calls.count,
            "sameAs": row.same_as,
            "tiedTo": row.tied_to,
        }

    def _defined(self, kind: type) -> tuple[str, int]:
        known = self._definitions.get(kind)
        if known is None:
            path, line = line_of(kind)
            known = self._definitions[kind] = (path, line) if line and self._wants(path) else ("", 0)
        return known


def _note(calls: _Calls, value: ShapeValue) -> None:
    if value not in calls.outputs:
        if len(calls.outputs) >= MOST_VALUES:
            return
        calls.outputs.append(value)
    if len(calls.order) < MOST_ORDER:
        calls.order.append(calls.outputs.index(value))


def _tree(model: Any) -> Iterator[_Row]:
    """Depth first, as `named_modules`, but with the other paths of a module that has several."""
    paths: dict[int, str] = {}
    owners: dict[int, str] = {}

    def walk(path: str, module: Any) -> Iterator[_Row]:
        earlier = paths.get(id(module))
        if earlier is not None:
            yield _Row(path, module, earlier, "")
            return
        paths[id(module)] = path
        own = [id(each) for each in module._parameters.values() if each is not None]
        tied = next((owners[each] for each in own if each in owners), "")
        owners.update({each: path for each in own if each not in owners})
        yield _Row(path, module, "", tied)
        for name, child in module._modules.items():
            if child is not None and child is not model:
                yield from walk(f"{path}.{name}" if path else name, child)

    return walk("", model)


def _with_lists(rows: list[TracedModule]) -> list[TracedModule]:
    """A `ModuleList` has no `forward`: what is below it is called by the module above it."""
    above: list[TracedModule] = []
    for row in rows:
        while above and above[-1]["path"] and not row["path"].startswith(f"{above[-1]['path']}."):
            above.pop()
        for each in reversed(above if row["calls"] and not row["sameAs"] else []):
            if each["calls"]:
                break
            each["flops"] += row["flops"]
        above.append(row)
    return rows


def _sized(parameters: Iterator[Any]) -> list[Any]:
    """Without the lazy ones that were not called yet, which have no size."""
    return [each for each in parameters if not hasattr(each, "materialize")]


def _elements(parameters: Iterable[Any]) -> int:
    return sum(int(each.numel()) for each in parameters)


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
