"""The rows of a traced model as trees, in which what repeats is one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tensorpeek.contract.messages import TracedModule


@dataclass(frozen=True)
class Own:
    """What a module does and holds itself, outside of those below it."""

    parameters: int
    trainable: int
    flops: int


@dataclass
class ModuleTree:
    module: TracedModule
    """Where several are one, with the sums of all."""
    name: str
    """As `conv1 (Conv2d)`, `0-11 (12 × Block)`."""
    children: list[ModuleTree] = field(default_factory=list["ModuleTree"])

    @property
    def own(self) -> Own | None:
        """None where there is nothing below it, or nothing but what is below it."""
        if not self.children:
            return None
        # What is shared is counted where it was first.
        below = sum(child.module["flops"] for child in self.children if not child.module["sameAs"])
        own = Own(
            self.module["ownParameters"], self.module["ownTrainable"], max(0, self.module["flops"] - below)
        )
        return own if own.parameters or own.flops else None

    @property
    def bytes(self) -> int:
        """Of the outputs of the modules in it that have none below them."""
        if self.children:
            return sum(child.bytes for child in self.children)
        return 0 if self.module["sameAs"] else self.module["bytes"]

    @property
    def is_called(self) -> bool:
        """Or something in it: a `ModuleList` is never called itself."""
        return self.module["calls"] > 0 or any(child.is_called for child in self.children)


def module_trees(modules: Sequence[TracedModule]) -> list[ModuleTree]:
    """A row belongs to the nearest one above it whose path its own begins with."""
    roots: list[ModuleTree] = []
    above: list[ModuleTree] = []
    for module in modules:
        while above and not _is_below(module["path"], above[-1].module["path"]):
            above.pop()
        parent = above[-1].module["path"] if above else ""
        name = module["path"][len(parent) + 1 :] if parent else module["path"]
        tree = ModuleTree(module, f"{name} ({module['type']})" if name else module["type"])
        (above[-1].children if above else roots).append(tree)
        above.append(tree)
    return roots


def folded(tree: ModuleTree) -> ModuleTree:
    """Numbered neighbours that are alike become one, as the blocks of a transformer."""
    groups = _alike(tree.children)
    children = [folded(group[0] if len(group) == 1 else _sum(group)) for group in groups]
    return ModuleTree(tree.module, tree.name, children)


def _is_below(path: str, parent: str) -> bool:
    return path != parent and (not parent or path.startswith(f"{parent}."))


def _alike(trees: Sequence[ModuleTree]) -> Iterator[list[ModuleTree]]:
    group: list[ModuleTree] = []
    for tree in trees:
        if group and not (_last(tree).isdigit() and _last(group[0]).isdigit() and _is_like(group[0], tree)):
            yield group
            group = []
        group.append(tree)
    if group:
        yield group


def _is_like(one: ModuleTree, other: ModuleTree) -> bool:
    same = (
        "type",
        "outputs",
        "order",
        "parameters",
        "trainable",
        "flops",
        "bytes",
        "calls",
        "sameAs",
        "tiedTo",
    )
    return (
        all(one.module[key] == other.module[key] for key in same)
        and len(one.children) == len(other.children)
        and all(
            _last(mine) == _last(its) and _is_like(mine, its)
            for mine, its in zip(one.children, other.children)
        )
    )


def _sum(group: Sequence[ModuleTree]) -> ModuleTree:
    first, count = group[0], len(group)
    module = first.module.copy()
    for key in (
        "parameters",
        "trainable",
        "ownParameters",
        "ownTrainable",
        "parameterBytes",
        "flops",
        "bytes",
    ):
        module[key] = sum(each.module[key] for each in group)
    name = f"{_last(first)}-{_last(group[-1])} ({count} × {module['type']})"
    children = [_sum_below([each.children[at] for each in group]) for at in range(len(first.children))]
    return ModuleTree(module, name, children)


def _sum_below(group: Sequence[ModuleTree]) -> ModuleTree:
    tree = _sum(group)
    return ModuleTree(tree.module, group[0].name, tree.children)


def _last(tree: ModuleTree) -> str:
    return tree.module["path"].rpartition(".")[2]
