"""What the ops of a traced pass cost, for the expressions, functions and modules that they are of."""

from __future__ import annotations

import contextlib
import sys
import weakref
from collections.abc import Generator
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any, Callable

from tensorpeek.probe.shapes.flops import Shape, flops_of, product
from tensorpeek.probe.shapes.values import size_of

Span = tuple[int, int, int, int]
Key = tuple[str, str, int]
"""A function's file, name and first line."""


@dataclass
class Done:
    """By one function, in all its calls, with what it calls."""

    flops: int = 0
    alive: int = 0
    peak: int = 0


class Work:
    def __init__(self, wants: Callable[[str], bool]) -> None:
        self.functions: dict[Key, Done] = {}
        self.modules: dict[int, int] = {}
        """FLOPs by a module's address."""
        self._spans: dict[tuple[str, Span], int] = {}
        """What was done while exactly this was being evaluated."""
        self._wants = wants
        self._wanted: dict[str, bool] = {}
        self._alive: set[weakref.ref[Any]] = set()
        self._positions: dict[CodeType, list[Any]] = {}

    def by_span(self, path: str, spans: list[Span]) -> dict[Span, int]:
        """For each expression, what was done in evaluating it."""
        own = {span: flops for (file, span), flops in self._spans.items() if file == path}
        return (
            {span: sum(flops for inner, flops in own.items() if _contains(span, inner)) for span in spans}
            if own
            else {}
        )

    def op(self, function: Any, arguments: tuple[Any, ...], output: Any, frame: FrameType | None) -> None:
        tensor_type = sys.modules["torch"].Tensor
        name = function._schema.name.rpartition("::")[2]
        shapes = [_shape(value) if isinstance(value, tensor_type) else None for value in arguments]
        first = output[0] if isinstance(output, (tuple, list)) and output else output
        given = _shape(first) if isinstance(first, tensor_type) else None
        flops = flops_of(name, shapes, arguments, given)
        made = _made(function, output, tensor_type)
        if flops or made:
            self._share(flops, made, frame)

    def _share(self, flops: int, made: list[Any], frame: FrameType | None) -> None:
        """Among who is on the stack, each once."""
        done: dict[Key, Done] = {}
        modules: set[int] = set()
        inside: tuple[str, Span] | None = None
        call_impl = sys.modules["torch.nn.modules.module"].Module._call_impl.__code__
        spans: set[tuple[str, Span]] = set()
        while frame is not None:
            code = frame.f_code
            path = code.co_filename
            if code is call_impl:
                modules.add(id(frame.f_locals.get("self")))
            elif self._is_wanted(path):
                key = path, code.co_name, code.co_firstlineno
                done[key] = self.functions.setdefault(key, Done())
                span = self._span(frame) if flops else None
                # A comprehension has a frame of its own up to Python 3.11.
                if span is not None and not (inside and inside[0] == path and _contains(span, inside[1])):
                    inside = path, span
                    spans.add(inside)
            frame = frame.f_back
        for one in done.values():
            one.flops += flops
        for module in modules if flops else ():
            self.modules[module] = self.modules.get(module, 0) + flops
        # Of two that are nested, as in a recursion, the inner one is part of the outer.
        for path, span in spans:
            if not any(path == file and span != other and _contains(other, span) for file, other in spans):
                self._spans[path, span] = self._spans.get((path, span), 0) + flops
        for tensor in made:
            self._keep(tensor, list(done.values()))

    def _keep(self, tensor: Any, done: list[Done]) -> None:
        size = product(_shape(tensor)) * tensor.element_size() if -1 not in _shape(tensor) else 0

        def freed(reference: weakref.ref[Any]) -> None:
            self._alive.discard(reference)
            for one in done:
                one.alive -= size

        self._alive.add(weakref.ref(tensor, freed))
        for one in done:
            one.alive += size
            one.peak = max(one.peak, one.alive)

    def _is_wanted(self, path: str) -> bool:
        wanted = self._wanted.get(path)
        if wanted is None:
            wanted = self._wanted[path] = self._wants(path)
        return wanted

    def _span(self, frame: FrameType) -> Span | None:
        """What the frame is evaluating; Python knows since 3.11."""
        positions = self._positions.get(frame.f_code)
        if positions is None:
            told = getattr(frame.f_code, "co_positions", None)
            positions = self._positions[frame.f_code] = list(told()) if told is not None else []
        index = frame.f_lasti // 2
        if index >= len(positions) or None in positions[index]:
            return None
        line, end_line, column, end_column = positions[index]
        return line, column, end_line, end_column


@contextlib.contextmanager
def counted(wants: Callable[[str], bool]) -> Generator[Work]:
    """Counts meanwhile, in this thread."""
    work = Work(wants)
    base: Any = sys.modules["torch.utils._python_dispatch"].TorchDispatchMode

    class Counter(base):
        def __torch_dispatch__(
            self, function: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
        ) -> Any:
            output = function(*args, **(kwargs or {}))
            try:
                work.op(function, args, output, sys._getframe(1))  # pyright: ignore[reportPrivateUsage]
            except Exception:  # noqa: BLE001  the program must not notice a fault of ours
                pass
            return output

    with Counter():
        yield work


def _contains(outer: Span, inner: Span) -> bool:
    return outer[:2] <= inner[:2] and inner[2:] <= outer[2:]


def _shape(tensor: Any) -> Shape:
    return tuple(size_of(size) for size in tensor.shape)


def _made(function: Any, output: Any, tensor_type: type) -> list[Any]:
    """The outputs that have memory of their own."""
    outputs = output if isinstance(output, (tuple, list)) else [output]
    returns = function._schema.returns
    if any(one.alias_info is not None for one in returns):
        return []
    return [one for one in outputs if isinstance(one, tensor_type)]
