"""Layers whose sizes were edited, against what was traced to go into them and where their output went."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tensorpeek.contract.messages import ShapeValue
from tensorpeek.server.shapes.contradictions.changes import Changes, span_in
from tensorpeek.server.shapes.contradictions.contradiction import PASS, Contradiction
from tensorpeek.server.shapes.contradictions.layers import KINDS, POINTWISE, Argument, Layer, layers_in
from tensorpeek.server.shapes.contradictions.module_calls import ModuleCall, ModuleCalls
from tensorpeek.server.shapes.contradictions.sizes import Size
from tensorpeek.server.shapes.statements import Statement
from tensorpeek.server.shapes.text import value_text


@dataclass(frozen=True)
class Made:
    """A line that makes layers, in the trace and now."""

    old: list[Layer]
    new: list[Layer]
    line: Statement
    """Of now."""

    @property
    def attribute(self) -> str:
        return self.new[0].path[0]

    def changed(self) -> list[tuple[Layer, Layer]]:
        pairs = zip(self.old, self.new, strict=True)
        return [pair for pair in pairs if ast.unparse(pair[0].node) != ast.unparse(pair[1].node)]


def contradictions(changes: Changes) -> Iterator[Contradiction]:
    for old, new in changes.layers:
        owner = old.function.rpartition(".")[0]
        calls = ModuleCalls(changes, owner)
        made = Made(layers_in(old), layers_in(new), new)
        call = calls.only_call(made.attribute)
        if call is None or not calls.is_undisturbed(call, made.attribute):
            continue
        for before, after in made.changed():
            yield from _against_input(changes, calls, call, made, before, after)
            yield from _against_consumer(calls, made, before, after)


def _against_input(
    changes: Changes, calls: ModuleCalls, call: ModuleCall, made: Made, before: Layer, after: Layer
) -> Iterator[Contradiction]:
    was, now, kind = before.takes(), after.takes(), KINDS.get(after.kind)
    if was is None or now is None or kind is None or kind.takes is None or was[0].names != now[0].names:
        return
    values = _input(calls, call, made, after.path)
    given = _size_at(values, kind.takes)
    if given is None or given * now[0].factor == given * was[0].factor or given % was[0].factor:
        return
    if not was[0].names and was[0].factor != given:
        return
    takes = given * now[0].factor // was[0].factor
    shown = " or ".join(dict.fromkeys(value_text(value) for value in values))
    message = f"{after.kind} takes {takes} here, but was given {shown} on line {call.line} in {PASS}."
    yield Contradiction(span_in(made.line, now[1]), message)


def _input(calls: ModuleCalls, call: ModuleCall, made: Made, path: tuple[str, ...]) -> Sequence[ShapeValue]:
    """What went into a layer in the trace, nothing where that is not known or may be another now."""
    if len(path) == 1:
        return calls.argument(call, made.old[0].kind if len(made.old[0].path) == 1 else "")
    *above, last = path
    if last == "0":
        return _input(calls, call, made, tuple(above))
    changed = {new.path for _, new in made.changed()}
    if any(each.path in changed for each in made.new[: _index(made.new, path)]):
        return []
    return calls.outputs((*above, str(int(last) - 1)))


def _against_consumer(calls: ModuleCalls, made: Made, before: Layer, after: Layer) -> Iterator[Contradiction]:
    was, now, kind = before.makes(), after.makes(), KINDS.get(after.kind)
    if was is None or now is None or kind is None or kind.makes is None or was[0] == now[0]:
        return
    found = _next_in_line(made.new, after) or calls.consumer(made.attribute, after)
    if found is None:
        return
    consumer, line = found if isinstance(found, tuple) else (found, made.line)
    takes, other = consumer.takes(), KINDS[consumer.kind].takes
    values = calls.outputs(after.path)
    if takes is None or other is None or not _is_contradiction(now[0], takes[0]):
        return
    if _size_at(values, kind.makes) is None or not _is_same_dim(values, kind.makes, other):
        return
    makes, wants = ast.unparse(now[1]), ast.unparse(takes[1])
    name = ".".join(after.path)
    source = f"`{name}` makes {makes} now, and its output went into it in {PASS}"
    message = f"{consumer.kind} takes {wants} here, but {source}."
    made_here = span_in(made.line, now[1]), f"{after.kind} makes {makes} here."
    yield Contradiction(span_in(line, takes[1]), message, (made_here,))


def _next_in_line(layers: list[Layer], of: Layer) -> Layer | None:
    """The next one in a Sequential that is not pointwise, where it says what it takes."""
    if len(of.path) == 1:
        return None
    *above, last = of.path
    by_path = {each.path: each for each in layers}
    at = int(last) + 1
    while (each := by_path.get((*above, str(at)))) is not None and each.kind in POINTWISE:
        at += 1
    return each if each is not None and each.kind in KINDS and each.takes() else None


def _is_contradiction(one: Size, other: Size) -> bool:
    return one.names == other.names and one.factor != other.factor


def _size_at(values: Sequence[ShapeValue], argument: Argument) -> int | None:
    """The size of a dim that all of the values have."""
    sizes: set[int] = set()
    for value in values:
        if value["kind"] != "tensor" or len(value["sizes"]) < max(argument.dims, -argument.dim):
            return None
        sizes.add(value["sizes"][argument.dim])
    size = sizes.pop() if len(sizes) == 1 else -1
    return size if size > 0 else None


def _is_same_dim(values: Sequence[ShapeValue], one: Argument, other: Argument) -> bool:
    counts = [len(value["sizes"]) for value in values]
    return all(max(one.dims, other.dims) <= count for count in counts) and all(
        one.dim % count == other.dim % count for count in counts
    )


def _index(layers: list[Layer], path: tuple[str, ...]) -> int:
    return next((at for at, each in enumerate(layers) if each.path == path), 0)
