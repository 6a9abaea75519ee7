"""The modules of a trace as text: a tree in which nothing is counted twice and what repeats is one."""

from __future__ import annotations

from typing import Any

import torch
from hypothesis import given
from hypothesis import strategies as st
from shape_traces import LINEAR
from torch import nn

from tensorpeek.contract.messages import TracedModule
from tensorpeek.contract.quantities import count_text
from tensorpeek.probe.shapes.call import Target
from tensorpeek.probe.shapes.explicit import traced
from tensorpeek.runs.module_table import module_table, shapes_text, share_text
from tensorpeek.runs.module_tree import folded, module_trees


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.up = nn.Linear(8, 16)
        self.down = nn.Linear(16, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.down(self.up(x).relu()) @ torch.eye(8)


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(20, 8)
        self.position = nn.Parameter(torch.zeros(5, 8))
        self.blocks = nn.ModuleList(Block() for _ in range(3))
        self.again = self.blocks[0]
        self.head = nn.Linear(8, 20, bias=False)
        self.head.weight = self.words.weight
        self.unused = nn.Linear(8, 8)
        self.unused.requires_grad_(False)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        x = self.words(ids) + self.position
        for block in (*self.blocks, self.again):
            x = block(x)
        return self.head(x)


def rows() -> list[TracedModule]:
    ids = torch.zeros(4, 5, dtype=torch.long)
    return traced(Target("", Net(), None, (ids,), {}))["modules"]


def cells(lines: list[str], start: str) -> list[str]:
    return next(line for line in lines if line.strip("│├└─ ").startswith(start)).split("  ")


def test_a_table_says_what_there_is_to_say() -> None:
    lines = module_table(rows())
    texts = [line.text for line in lines]
    parameters = sum(each.numel() for each in Net().parameters())
    assert f"{parameters:,}" in cells(texts, "Net")
    assert f"{parameters:,} parameters" in texts[-5]
    assert "72 frozen" in texts[-5]
    block = 2 * 20 * (8 * 16 * 2 + 8 * 8)
    assert f"{count_text(4 * block + 2 * 20 * 8 * 20)} FLOPs in this call" in texts[-4]
    assert "same as blocks.0" in cells(texts, "again")[-1]
    assert "tied to words" in cells(texts, "head")[-1]
    assert [line.text.split()[1] for line in lines if line.is_faint] == ["unused"]
    assert "1-2 (2 × Block)" in "".join(texts)
    assert "×2" in "".join(cells(texts, "0 (Block)"))


def test_the_shares_of_what_is_side_by_side_add_up() -> None:
    (tree,) = map(folded, module_trees(rows()))

    def check(tree: Any) -> None:
        if not tree.children:
            return
        below = sum(child.module["flops"] for child in tree.children if not child.module["sameAs"])
        own = tree.own.flops if tree.own is not None else 0
        assert below + own == tree.module["flops"]
        for child in tree.children:
            check(child)

    check(tree)
    assert tree.children[1].module["path"] == "blocks"
    assert tree.own is not None
    assert (tree.own.parameters, tree.own.flops) == (40, 0)


def test_columns_are_aligned() -> None:
    lines = [line.text for line in module_table(rows())]
    table = lines[: lines.index("")]
    edge = table[0].index("parameters") + len("parameters")
    assert all(line[edge - 1 : edge].strip() for line in table)
    assert all(line[edge : edge + 2].strip() == "" for line in table)


def test_what_was_not_counted_has_no_column() -> None:
    lines = module_table([{**row, "flops": 0} for row in rows()])
    assert "FLOPs" not in lines[0].text
    assert not any("FLOPs in this call" in line.text for line in lines)


def test_without_modules_there_is_no_table() -> None:
    assert module_table([]) == []


def test_all_the_shapes_of_a_module_are_in_a_line() -> None:
    values: list[Any] = [
        {"kind": "tensor", "dims": ["B", str(size)], "items": [], "length": 0, "type": "Tensor"}
        for size in range(6)
    ]
    assert shapes_text(values[:1], 1) == "[B, 0]"
    assert shapes_text(values[:2], 9) == "[B, 0] | [B, 1] ×9"
    assert shapes_text(values, 6) == "[B, 0] | [B, 1] | [B, 2] | … 3 more ×6"


def test_a_long_class_leaves_the_room_to_what_it_holds() -> None:
    tensor: Any = {"kind": "tensor", "dims": ["B", "T", "768"], "items": [], "length": 0, "type": "Tensor"}
    items = [{"key": key, "value": tensor} for key in ("last_hidden_state", "pooler_output")]
    value: Any = {"kind": "container", "type": "BaseModelOutput", "dims": [], "items": items[:1], "length": 1}
    assert shapes_text([value], 1) == "BaseModelOutput{last_hidden_state: [B, T, 768]}"
    longer = {**value, "items": items, "length": 2}
    assert shapes_text([longer], 2) == "{last_hidden_state: [B, T, 768], pooler_output: [B, … ×2"


@given(st.integers(0, 10**18), st.integers(0, 10**18))
def test_a_share_is_a_percentage(part: int, whole: int) -> None:
    text = share_text(part, whole)
    if not part or not whole:
        assert text == ""
    elif text == "<1 %":
        assert part / whole < 0.005
    else:
        assert abs(min(100.0, 100 * part / whole) - int(text.split()[0])) <= 0.5


@given(
    st.recursive(
        st.builds(dict),
        lambda children: st.dictionaries(st.sampled_from("abc012"), children, max_size=4),
        max_leaves=20,
    )
)
def test_every_module_is_in_the_tree_where_its_path_says(model: dict[str, Any]) -> None:
    paths: list[str] = []

    def walk(path: str, below: dict[str, Any]) -> None:
        paths.append(path)
        for name, inner in below.items():
            walk(f"{path}.{name}" if path else name, inner)

    walk("", model)
    modules: Any = [{**LINEAR, "path": path} for path in paths]
    (tree,) = module_trees(modules)

    def check(tree: Any, below: dict[str, Any]) -> int:
        names = [child.module["path"].rpartition(".")[2] for child in tree.children]
        assert names == list(below)
        return 1 + sum(check(child, below[name]) for child, name in zip(tree.children, names, strict=True))

    assert check(tree, model) == len(paths)
    folded(tree)
