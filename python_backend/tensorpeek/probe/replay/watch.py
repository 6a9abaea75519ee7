"""Watches every operator of a step: which makes a value that is not finite, and where such values go.

An op whose inputs are finite and whose output is not is a source. What flows from it is known by the storage
that holds it. An infinity that the program asks for (a mask) is a source too, an intended one. In the
backward pass, the op is the one of the forward pass to which the autograd node belongs, found by its sequence
number.
"""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any

from tensorpeek.probe.replay.op_traits import (
    SOFTENING,
    STEEP,
    OpTraits,
    is_given_infinity,
    name_of_node,
    op_traits,
)
from tensorpeek.probe.replay.values import Values, has_nan, is_bad, is_float, storage_of, values_of
from tensorpeek.probe.training.places import Place, is_users_code

MOST_CLONED = 10_000_000
"""Elements of a tensor that is about to be changed in place, and whose values may be asked for."""


@dataclass
class ForwardOp:
    """The op that made a node of the graph."""

    op: str
    place: Place | None
    module: Any
    shapes: list[tuple[int, ...]]
    """Of its inputs."""
    tensors: list[Any] = field(default_factory=list)
    """Its inputs, where the op is steep."""
    source: Source | None = None
    """If its own output was not finite."""


@dataclass(eq=False)
class Source:
    """Where values that are not finite began."""

    kind: str
    """`made` by an op, `intended` by the program, or `given`: in a tensor from before the step."""
    op: str
    place: Place | None
    module: Any
    is_backward: bool
    inputs: list[Values]
    arguments: list[Any]
    """Numbers among the op's arguments."""
    output: Values
    input_ops: list[str]
    """Which ops made the inputs, as far as they ran in this step."""
    after: frozenset[Source] = frozenset()
    """Intended infinities that the op could not cope with."""
    tensor: Any = None
    """What was given."""
    forward: ForwardOp | None = None
    """Of a source in the backward pass."""
    hidden_by: str = ""
    first_nan: tuple[str, Place | None] | None = None
    """The op that turned an infinity of this source into NaN."""


class Watch:
    def __init__(self, *floors: CodeType) -> None:
        self.sources: list[Source] = []
        self.forward: dict[int, ForwardOp] = {}
        """By the sequence number of the autograd node."""
        self._floors = frozenset(floors)
        """Of functions that run the program's code: frames around those say nothing of an op inside."""
        self.is_paused = False
        """Set while we look at values ourselves."""
        self._taint: dict[int, frozenset[Source]] = {}
        """By storage."""
        self._made_by: dict[int, str] = {}
        self._traits: dict[Any, OpTraits] = {}
        torch = sys.modules["torch"]
        self._next_sequence = torch._C._autograd._get_sequence_nr
        self._current_node = torch._C._current_autograd_node
        self._first_sequence = self._next_sequence()
        self._call_module = torch.nn.Module._call_impl.__code__

    def mode(self) -> Any:
        """The dispatch mode, a context manager, that shows each op to this watch."""
        watch = self

        class Mode(sys.modules["torch.utils._python_dispatch"].TorchDispatchMode):  # pyright: ignore[reportUntypedBaseClass]
            def __torch_dispatch__(
                self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
            ) -> Any:
                return watch._run(func, args, kwargs or {})

        return Mode()

    @contextmanager
    def paused(self) -> Generator[None]:
        before, self.is_paused = self.is_paused, True
        try:
            yield
        finally:
            self.is_paused = before

    def sources_of(self, tensor: Any) -> frozenset[Source]:
        """Where what is not finite in the tensor came from; empty when all of it is finite."""
        with self.paused():
            if tensor is None or not is_float(tensor) or not is_bad(tensor):
                return frozenset()
            known = self._taint.get(storage_of(tensor))
            return known if known else frozenset([self._given(tensor)])

    def _run(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if self.is_paused:
            return func(*args, **kwargs)
        traits = self._traits.get(func)
        if traits is None:
            traits = self._traits[func] = op_traits(func)
        inputs = list(_floats((args, kwargs)))
        before = self._incoming(inputs)
        seen = inputs
        if traits.is_mutable:
            seen = [t.clone() if t.numel() <= MOST_CLONED else t for t in inputs]
        result = func(*args, **kwargs)
        outputs = list(_floats(result)) or (inputs if traits.is_mutable else [])
        forward = self._note_forward(traits, inputs)
        if traits.is_uninitialized:
            bad = []
        else:
            bad = [tensor for tensor in outputs if is_bad(tensor)]
        if bad:
            flowing = self._judge(traits, seen, before, bad, args, kwargs, forward)
        else:
            flowing = frozenset()
            if before and outputs and not (traits.is_view or traits.is_look):
                place = "" if self._current_node() is None else " in backward"
                for source in before:
                    source.hidden_by = source.hidden_by or traits.name + place
        for tensor in outputs:
            self._settle(tensor, traits, flowing if any(tensor is one for one in bad) else frozenset())
        return result

    def _incoming(self, inputs: list[Any]) -> frozenset[Source]:
        found: frozenset[Source] = frozenset()
        for tensor in inputs:
            known = self._taint.get(storage_of(tensor))
            if known and is_bad(tensor):
                found |= known
        return found

    def _settle(self, tensor: Any, traits: OpTraits, flowing: frozenset[Source]) -> None:
        storage = storage_of(tensor)
        is_whole = tensor.numel() * tensor.element_size() >= tensor.untyped_storage().nbytes()
        if traits.is_view or (traits.is_mutable and not is_whole):
            flowing |= self._taint.get(storage, frozenset())
        else:
            self._made_by[storage] = traits.name
        if flowing:
            self._taint[storage] = flowing
        else:
            self._taint.pop(storage, None)

    def _judge(
        self,
        traits: OpTraits,
        inputs: list[Any],
        before: frozenset[Source],
        bad: list[Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        forward: ForwardOp | None,
    ) -> frozenset[Source]:
        """What the values of `bad`, the op's outputs that are not finite, come from."""
        if not before:
            given = [self._given(tensor) for tensor in inputs if is_bad(tensor)]
            before = frozenset(given)
        is_nan = any(map(has_nan, bad))
        becomes_nan = is_nan and not any(map(has_nan, inputs))
        if not before:
            kind = "intended" if is_given_infinity(traits, args, kwargs) else "made"
        elif becomes_nan and self._cannot_cope(traits, inputs, before):
            kind = "made"
        else:
            if becomes_nan:
                place, _ = self._where()
                for source in before:
                    source.first_nan = source.first_nan or (traits.name, place)
            return before
        return frozenset([self._source(kind, traits, inputs, before, bad[0], args, forward)])

    def _cannot_cope(self, traits: OpTraits, inputs: list[Any], before: frozenset[Source]) -> bool:
        """Whether NaN is this op's own fault: its infinities are meant, or mask a whole row."""
        if all(source.kind == "intended" for source in before):
            return True
        return traits.name in SOFTENING and all(not values_of(tensor).positive for tensor in inputs)

    def _source(
        self,
        kind: str,
        traits: OpTraits,
        inputs: list[Any],
        before: frozenset[Source],
        output: Any,
        args: tuple[Any, ...],
        forward: ForwardOp | None,
    ) -> Source:
        place, module = self._where()
        node = self._current_node()
        op = traits.name
        if node is not None and forward is not None and place is None:
            op, place, module = forward.op, forward.place, forward.module
        elif node is not None and place is None:
            op = name_of_node(node.name())
        source = Source(
            kind=kind,
            op=op,
            place=place,
            module=module,
            is_backward=node is not None,
            inputs=[values_of(tensor) for tensor in inputs],
            arguments=[value for value in args if isinstance(value, (int, float))],
            output=values_of(output),
            input_ops=[self._made_by.get(storage_of(tensor), "") for tensor in inputs],
            after=before,
            forward=forward if node is not None else None,
        )
        self.sources.append(source)
        if node is None and forward is not None and forward.source is None and kind == "made":
            forward.source = source
        return source

    def _given(self, tensor: Any) -> Source:
        storage = storage_of(tensor)
        for source in self.sources:
            if source.tensor is not None and storage_of(source.tensor) == storage:
                return source
        values = values_of(tensor)
        # A mask that was made once, or is passed in, holds −inf and nothing else that is not finite.
        is_mask = values.negative == values.bad
        place, module = self._where()
        source = Source(
            "intended" if is_mask else "given", "", place, module, False, [], [], values, [], tensor=tensor
        )
        self.sources.append(source)
        self._taint[storage] = frozenset([source])
        return source

    def _note_forward(self, traits: OpTraits, inputs: list[Any]) -> ForwardOp | None:
        """The op of the forward pass that this op is, or of whose backward it is a part."""
        node = self._current_node()
        if node is not None:
            return self.forward.get(node._sequence_nr())
        sequence = self._next_sequence() - 1
        if sequence < self._first_sequence:
            return None
        known = self.forward.get(sequence)
        if known is None:
            place, module = self._where()
            kept = inputs if traits.name in STEEP else []
            shapes = [tuple(map(int, each.shape)) for each in inputs]
            known = self.forward[sequence] = ForwardOp(traits.name, place, module, shapes, kept)
        return known

    def _where(self) -> tuple[Place | None, Any]:
        """The user's line that is being executed, and the innermost module that is being called."""
        frame: FrameType | None = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
        place: Place | None = None
        module: Any = None
        while frame is not None and frame.f_code not in self._floors and not (place and module is not None):
            code = frame.f_code
            if module is None and code is self._call_module:
                module = frame.f_locals["self"]
            elif place is None and is_users_code(code):
                place = Place(code.co_filename, frame.f_lineno or 0, code.co_name)
            frame = frame.f_back
        return place, module


def _floats(value: Any) -> Any:
    """The floating tensors in an op's arguments or results."""
    if isinstance(value, (tuple, list)):
        for item in value:
            yield from _floats(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _floats(item)
    elif is_float(value):
        yield value
