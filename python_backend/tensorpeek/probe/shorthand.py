"""A value in a few characters, for the places where it stands among others: `{x: f32[64,10], y: i64[64]}`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import islice
from typing import Any

from tensorpeek.probe import raw, reach
from tensorpeek.probe.budget import Deadline
from tensorpeek.probe.kinds.kind import Child
from tensorpeek.probe.statistics import scan_tensor
from tensorpeek.probe.tensors.dtypes import element_type
from tensorpeek.probe.tensors.facts import tensor_facts
from tensorpeek.probe.tensors.line import head, number

DEEPEST = 2
MOST_PARTS = 8
"""Parts of a container that are named before `…`."""
MOST_LOOKED_AT = 2000
"""Parts that one text looks at in all, because containers in containers multiply."""
MOST_COUNTED = 1000
"""Of them, parts of one container."""
LONGEST_WORD = 24
"""Characters of a string or number."""
MOST_BITS = 64
"""Of a whole number that is written out."""
DTYPE_LETTERS = {"b": "bool", "i": "i", "u": "u", "f": "f", "c": "c", "U": "str", "S": "bytes"}


def shorthand(value: Any, depth: int = 0, room: Iterator[object] | None = None) -> str:
    """What the value is, without a statistic: shapes, short literals, class names.

    `room` gives one item for each part that may still be looked at.
    """
    cls = raw.class_of(value)
    if raw.is_a(cls, "torch.Tensor"):
        return tensor_shorthand(value)
    if raw.is_a(cls, "numpy.ndarray"):
        return array_shorthand(value)
    if raw.exactly(value, bool, int, float, type(None)):
        return number_shorthand(value)
    if raw.is_a(cls, "numpy.number", "numpy.bool") and raw.module_name(cls) == "numpy":
        return str(value)
    if raw.exactly(value, str, bytes):
        return clip(repr(value[: LONGEST_WORD + 1]))
    if reach.is_container(cls):
        return container_shorthand(value, depth, room)
    return raw.class_name(cls)


def number_shorthand(value: Any) -> str:
    if type(value) is float:
        return number(value)
    if type(value) is int and value.bit_length() > MOST_BITS:
        return f"int of {value.bit_length()} bits"
    return repr(value)


def tensor_shorthand(tensor: Any) -> str:
    """`f32[64,10]`, or `f32 0.693` where one number is all there is."""
    core = sys.modules["torch"]._C
    with core.DisableTorchFunction(), core._DisableTorchDispatch():
        is_plain = tensor.layout is sys.modules["torch"].strided and not tensor.is_nested
        if is_plain and tensor.ndim and not core._functorch.is_functorch_wrapped_tensor(tensor):
            return f"{element_type(tensor.dtype).name}[{','.join(map(str, tensor.shape))}]"
    facts = tensor_facts(tensor)
    text = head(facts)
    if facts.shape or facts.why_no_data:
        return text
    scan = scan_tensor(tensor)
    if scan is None:
        return text
    scan.advance(Deadline.after(1))
    known = scan.statistics
    bad = "NaN" if known.nan else "+Inf" if known.positive_infinite else "−Inf"
    return f"{text} {bad if known.minimum is None else number(known.minimum)}"


def array_shorthand(array: Any) -> str:
    base = sys.modules["numpy"].ndarray
    return f"{dtype_shorthand(base.dtype.__get__(array))}[{','.join(map(str, base.shape.__get__(array)))}]"


def dtype_shorthand(dtype: Any) -> str:
    """`f32` for float32, as tensors say it; numpy's own name for what torch does not have."""
    letter = DTYPE_LETTERS.get(dtype.kind)
    if letter is None or dtype.names:
        return "struct" if dtype.names else str(dtype)
    return letter if len(letter) > 1 else f"{letter}{dtype.itemsize * 8}"


def container_shorthand(container: Any, depth: int = 0, room: Iterator[object] | None = None) -> str:
    """The parts in the brackets of their container; equal neighbours are counted: `[4× f32[8,3]]`."""
    opening, closing = brackets(container)
    count = reach.size(container)
    if depth > DEEPEST:
        return f"{opening}…{closing}" if count else opening + closing
    named = raw.derives(reach.unwrapped(container), dict) or reach.field_names(container) is not None
    words: list[tuple[str, int]] = []
    taken = 0
    room = iter(range(MOST_LOOKED_AT)) if room is None else room
    for _, part in zip(room, islice(reach.parts(container), MOST_COUNTED)):
        word = shorthand(part.value, depth + 1, room)
        if named:
            word = f"{part_name(part)}: {word}"
        if words and words[-1][0] == word:
            words[-1] = (word, words[-1][1] + 1)
        elif len(words) == MOST_PARTS:
            break
        else:
            words.append((word, 1))
        taken += 1
    texts = [word if times == 1 else f"{times}× {word}" for word, times in words]
    if taken < count:
        texts.append(f"… {count} in all")
    return f"{opening}{', '.join(texts)}{closing}"


def brackets(container: Any) -> tuple[str, str]:
    """Those of the literal, after the class name where the class is not the builtin one."""
    is_builtin = raw.exactly(container, list, tuple, dict, set)
    name = "" if is_builtin else raw.class_name(raw.class_of(container))
    inner = reach.unwrapped(container)
    if raw.derives(inner, list):
        return f"{name}[", "]"
    if is_builtin and raw.derives(inner, dict, set):
        return "{", "}"
    return f"{name}(", ")"


def part_name(part: Child) -> str:
    """The bare word of a string key."""
    name = part.name
    bare = name[1:-1]
    return bare if name[:1] in "'\"" and bare.isidentifier() else name


def clip(text: str) -> str:
    return text if len(text) <= LONGEST_WORD else text[: LONGEST_WORD - 1] + "…"
