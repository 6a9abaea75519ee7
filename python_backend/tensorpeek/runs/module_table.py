"""The modules of a traced model as an aligned tree in plain text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tensorpeek.contract.messages import ShapeValue, TracedModule
from tensorpeek.contract.quantities import bytes_text, count_text
from tensorpeek.runs.module_tree import ModuleTree, folded, module_trees

WIDEST_OUTPUT = 56
"""Columns; what is longer is cut."""
MOST_SHAPES = 3
RIGHT = ("parameters", "frozen", "FLOPs", "share", "bytes")
"""Heads of columns of numbers."""


@dataclass(frozen=True)
class Line:
    text: str
    is_faint: bool
    """Of a module that was not called."""


@dataclass(frozen=True)
class _Whole:
    flops: int
    bytes: int
    """Of the outputs of modules that have none below them."""


@dataclass(frozen=True)
class _Row:
    branch: str
    name: str
    output: str
    parameters: int
    frozen: int
    flops: int
    bytes: int
    remark: str
    is_faint: bool


def module_table(modules: list[TracedModule]) -> list[Line]:
    """A head, a line per module, and the totals; nothing where there is no module."""
    trees = [folded(tree) for tree in module_trees(modules)]
    if not trees:
        return []
    whole = _Whole(modules[0]["flops"], sum(tree.bytes for tree in trees))
    rows = [row for tree in trees for row in _rows(tree, "", "", whole)]
    return [
        *_aligned(rows, whole),
        Line("", False),
        *(Line(text, False) for text in _totals(modules, trees, whole)),
    ]


def shapes_text(outputs: list[ShapeValue], calls: int) -> str:
    """`[B, 64, 8, 8]`, `[B, 16] | [B, 32] ×3`."""
    texts = list(dict.fromkeys(_short(value) for value in outputs))
    more = [f"… {len(texts) - MOST_SHAPES} more"] if len(texts) > MOST_SHAPES else []
    text = " | ".join(texts[:MOST_SHAPES] + more)
    times = f" ×{calls}" if calls > 1 else ""
    room = WIDEST_OUTPUT - len(times)
    return (text if len(text) <= room else text[: room - 1] + "…") + times


def _short(value: ShapeValue) -> str:
    """Without the name of a container's class where that takes the place of what is in it."""
    text = shape_text(value)
    return text if len(text) <= WIDEST_OUTPUT else text.removeprefix(value["type"])


def shape_text(value: ShapeValue) -> str:
    """`[B, 64, 8, 8]`, `(…, …)`, `{logits: …}`."""
    if value["kind"] == "tensor":
        return f"[{', '.join(value['dims'])}]"
    if value["kind"] == "number":
        return ", ".join(value["dims"])
    items = [shape_text(item["value"]) for item in value["items"]]
    rest = ["…"] if value["length"] > len(items) else []
    if all(item["key"].isdigit() for item in value["items"]):
        return f"{value['type'] if value['type'] not in ('tuple', 'list') else ''}({', '.join(items + rest)})"
    named = [f"{item['key']}: {text}" for item, text in zip(value["items"], items)]
    return f"{value['type'] if value['type'] != 'dict' else ''}{{{', '.join(named + rest)}}}"


def share_text(part: int, whole: int) -> str:
    """`34 %`; `<1 %` for what would be rounded to nothing, and nothing where there is no whole."""
    if whole <= 0 or part <= 0:
        return ""
    percent = min(100.0, 100 * part / whole)
    return "<1 %" if percent < 0.5 else f"{percent:.0f} %"


def _rows(tree: ModuleTree, branch: str, below: str, whole: _Whole) -> Iterator[_Row]:
    module = tree.module
    if module["sameAs"]:
        yield _Row(branch, tree.name, "", 0, 0, 0, 0, _remark(tree), False)
        return
    is_uncalled = not tree.is_called
    yield _Row(
        branch,
        tree.name,
        shapes_text(module["outputs"], module["calls"]),
        module["parameters"],
        module["parameters"] - module["trainable"],
        module["flops"],
        tree.bytes,
        _remark(tree),
        is_uncalled,
    )
    own = tree.own
    entries = len(tree.children) + (own is not None)
    for at, child in enumerate(tree.children):
        is_last = at == entries - 1
        yield from _rows(
            child, below + ("└─ " if is_last else "├─ "), below + ("   " if is_last else "│  "), whole
        )
    if own is not None:
        frozen = own.parameters - own.trainable
        yield _Row(f"{below}└─ ", "(itself)", "", own.parameters, frozen, own.flops, 0, "", is_uncalled)


def _remark(tree: ModuleTree) -> str:
    module = tree.module
    if module["sameAs"]:
        return f"same as {module['sameAs']}"
    if module["tiedTo"]:
        return f"tied to {module['tiedTo']}"
    if not tree.is_called:
        return "never called"
    if module["calls"] and not module["outputs"]:
        return "no tensor came back"
    return ""


def _aligned(rows: list[_Row], whole: _Whole) -> list[Line]:
    has_frozen = any(row.frozen for row in rows)
    heads = ["module", "output", "parameters", *(["frozen"] if has_frozen else [])]
    heads += ["FLOPs", "share"] if whole.flops else []
    heads += ["bytes", "share", ""]
    cells: list[list[str]] = []
    for row in rows:
        line = [row.branch + row.name, row.output, f"{row.parameters:,}" if row.parameters else "–"]
        line += [f"{row.frozen:,}" if row.frozen else ""] if has_frozen else []
        line += (
            [count_text(row.flops) if row.flops else "–", share_text(row.flops, whole.flops)]
            if whole.flops
            else []
        )
        line += [bytes_text(row.bytes) if row.bytes else "", share_text(row.bytes, whole.bytes), row.remark]
        cells.append(line)
    widths = [max(map(len, column)) for column in zip(heads, *cells)]
    texts = [
        "  ".join(
            cell.rjust(width) if head in RIGHT else cell.ljust(width)
            for cell, head, width in zip(line, heads, widths)
        ).rstrip()
        for line in (heads, *cells)
    ]
    return [Line(texts[0], False), *(Line(text, row.is_faint) for text, row in zip(texts[1:], rows))]


def _totals(modules: list[TracedModule], trees: list[ModuleTree], whole: _Whole) -> Iterator[str]:
    root = modules[0]
    frozen = root["parameters"] - root["trainable"]
    kinds = (
        f", {root['trainable']:,} trainable and {frozen:,} frozen"
        if root["trainable"] and frozen
        else ", all frozen"
        if frozen
        else ", all trainable"
        if root["parameters"]
        else ""
    )
    yield f"{root['parameters']:,} parameters, {bytes_text(root['parameterBytes'])}{kinds}"
    if whole.flops:
        yield f"{count_text(whole.flops)} FLOPs in this call; a multiplication that is added is two"
    if whole.bytes:
        yield f"{bytes_text(whole.bytes)} are the outputs of the innermost modules"
    if any(module["sameAs"] or module["tiedTo"] for module in modules):
        yield "What is shared is counted once."
    if any(_has_folded(tree) for tree in trees):
        yield "Where modules are alike (n ×), the numbers are those of all of them together."


def _has_folded(tree: ModuleTree) -> bool:
    return " × " in tree.name or any(map(_has_folded, tree.children))
