"""Shapes as text: one short line for a hint, one table for its tooltip."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from tensorpeek.contract.messages import ShapeValue, TracedExpression, TracedName
from tensorpeek.contract.quantities import bytes_text

LONGEST = 43
"""Characters of a hint: VS Code cuts what is longer."""
MOST_ITEMS = 4
MOST_ROWS = 30
_SHORT = {"float": "f", "bfloat": "bf", "uint": "u", "int": "i", "complex": "c"}
_BYTES = {"bool": 1, "complex64": 8, "complex128": 16}

Traced = TracedExpression | TracedName


def value_text(value: ShapeValue, usual: tuple[str, str] = ("", "")) -> str:
    """`[B, 64]`; dtype and device only where they are not the `usual` ones."""
    if value["kind"] == "number":
        return value["dims"][0] if value["dims"] else "?"
    if value["kind"] == "tensor":
        marks = [each for each, old in zip(of_tensor(value), usual, strict=True) if old and each != old]
        return " ".join(["[" + ", ".join(value["dims"]) + "]", *marks])
    items = [(item["key"], value_text(item["value"], usual)) for item in value["items"][:MOST_ITEMS]]
    is_sequence = all(key == str(at) for at, (key, _) in enumerate(items))
    inner = [text if is_sequence else f"{key}: {text}" for key, text in items]
    if value["length"] > len(items):
        inner.append("…")
    opening, closing = ("(", ")") if is_sequence else ("{", "}")
    return opening + ", ".join(inner) + closing


def hint_text(traced: Traced, usual: tuple[str, str] = ("", "")) -> str:
    """The distinct values in their order, and how often it ran where there are several."""
    # Other strides of thought than shape, as a dtype that is not shown, make no other text.
    texts = list(dict.fromkeys(value_text(value, usual) for value in traced["values"]))
    count = f" ×{traced['calls']}" if len(texts) > 1 else ""
    for shown in range(len(texts), 0, -1):
        rest = ["…"] if shown < len(texts) else []
        text = " | ".join([*texts[:shown], *rest]) + count
        if len(text) + 2 <= LONGEST:
            return f"→ {text}"
    text = f"→ {texts[0]}" if texts else ""
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def of_tensor(value: ShapeValue) -> tuple[str, str]:
    return value["dtype"], value["device"]


def first_tensor(value: ShapeValue) -> ShapeValue | None:
    """The value or the first in it that is a tensor."""
    if value["kind"] == "tensor":
        return value
    return next((found for item in value["items"] if (found := first_tensor(item["value"]))), None)


def table(traced: Traced) -> str:
    """Every distinct value of every evaluation, as Markdown."""
    rows = ["| call | shape | sizes | dtype | device | bytes |", "| --- | --- | --- | --- | --- | --- |"]
    for index, value in enumerate(traced["values"]):
        calls = _calls(traced["order"], index) or "1"
        for name, each in flattened(value):
            if len(rows) > MOST_ROWS:
                return "\n".join([*rows, "| … | | | | | |"])
            sizes = ", ".join("?" if size < 0 else str(size) for size in each["sizes"])
            cells = (calls, name + code(value_text(each)), sizes, each["dtype"], each["device"], _bytes(each))
            rows.append("| " + " | ".join(cells) + " |")
    return "\n".join(rows)


def flattened(value: ShapeValue, name: str = "") -> list[tuple[str, ShapeValue]]:
    """A container's tensors with their names in it."""
    if value["kind"] != "container":
        return [(name, value)]
    inside = [
        each for item in value["items"] for each in flattened(item["value"], f"{name}{code(item['key'])} ")
    ]
    return inside or [(name, value)]


def code(text: str) -> str:
    """Text that Markdown leaves alone, also in a table."""
    return "`" + text.replace("`", "'").replace("|", "\\|").replace("\n", " ") + "`"


def value_bytes(value: ShapeValue) -> int:
    """Of a tensor's elements; 0 where that is not known."""
    if value["kind"] != "tensor" or any(size < 0 for size in value["sizes"]):
        return 0
    return prod(value["sizes"]) * _element_bytes(value["dtype"])


def _bytes(value: ShapeValue) -> str:
    count = value_bytes(value)
    return bytes_text(count) if count else ""


def _element_bytes(dtype: str) -> int:
    if dtype in _BYTES:
        return _BYTES[dtype]
    name = dtype.partition("_")[0]
    bits = "".join(c for c in name[len(name.rstrip("0123456789")) :] if c.isdigit())
    return int(bits) // 8 if bits else 0


def _calls(order: Sequence[int], index: int) -> str:
    """The numbers of the evaluations that gave this value, as `1–3, 5`."""
    spans: list[list[int]] = []
    for at, which in enumerate(order, start=1):
        if which != index:
            continue
        if spans and spans[-1][1] == at - 1:
            spans[-1][1] = at
        else:
            spans.append([at, at])
    texts = [str(first) if first == last else f"{first}-{last}" for first, last in spans[:6]]
    return ", ".join([*texts, "…"] if len(spans) > len(texts) else texts)
