"""What the names in a function are used as: losses and other scalars, tensors, modules, optimizers.

Read off the text alone, by how each name is made and what is asked of it; so it is a guess, and only orders
what a menu offers.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["loss", "scalar", "tensor", "gradient", "module", "optimizer", "other"]

LOSS = re.compile(r"(^|_)(loss|losses|nll|mse|bce|kl|elbo|objective|perplexity)(es)?(_|\d|$)", re.IGNORECASE)
SCALAR = re.compile(
    r"(^|_)(acc|accuracy|lr|reward|score|metric|psnr|iou|f1|auc|grad_norm|norm|error)(_|\d|$)", re.I
)
MODULE = re.compile(
    r"(^|_)(model|net|network|encoder|decoder|backbone|generator|discriminator|policy)(_|\d|$)"
)
OPTIMIZER = re.compile(r"(^|_)(optim|optimizer|opt|optimiser)(_|\d|$)", re.IGNORECASE)
NEVER = re.compile(
    r"^(_|args|kwargs|cls|config|cfg|device|dtype|logger|writer|path|name|train_loader|loader|dataloader)$"
)
SCALAR_CALLS = {"backward", "item"}
TENSOR_ATTRIBUTES = {
    *("shape", "size", "dim", "numel", "view", "reshape", "permute", "transpose", "detach", "cpu", "cuda"),
    *("mean", "sum", "norm", "abs", "max", "min", "argmax", "softmax", "unsqueeze", "squeeze", "flatten"),
    *("requires_grad", "dtype", "clone", "float", "half", "grad_fn", "T", "relu", "sigmoid", "exp", "log"),
}
MODULE_CALLS = {"parameters", "named_parameters", "train", "eval", "state_dict", "modules", "children"}
PARAMETERS = {"weight", "bias"}
TENSOR_MAKERS = {"torch", "F", "functional"}


@dataclass
class Use:
    """One dotted name of a function."""

    text: str
    lines: list[int] = field(default_factory=list[int])
    """1-based, of its uses as a value."""
    bound: list[int] = field(default_factory=list[int])
    """1-based, of the statements that give it a value."""
    kinds: dict[Kind, int] = field(default_factory=dict[Kind, int])
    """How much speaks for each."""

    @property
    def kind(self) -> Kind:
        if not self.kinds:
            return "other"
        return max(self.kinds, key=lambda kind: self.kinds[kind])

    def seems(self, kind: Kind, weight: int = 1) -> None:
        self.kinds[kind] = self.kinds.get(kind, 0) + weight


def uses_in(scope: ast.AST, of_file: ast.Module) -> dict[str, Use]:
    """Every dotted name that code of the scope reads or binds, by its text, in the order of the text."""
    uses: dict[str, Use] = {}
    imported = {name for node in ast.walk(of_file) for name in _imported(node)}
    defined = {n.name for n in ast.walk(of_file) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))}
    for node, parents in _walk(scope, ()):
        _look(node, parents, uses)
    unwanted = imported | defined | set(dir(builtins))
    unwanted |= {n.name for n in ast.walk(of_file) if isinstance(n, ast.ClassDef)}
    return {
        text: use
        for text, use in uses.items()
        if text.partition(".")[0] not in unwanted and not NEVER.match(text) and not text.isupper()
    }


def _walk(node: ast.AST, parents: tuple[ast.AST, ...]) -> Iterator[tuple[ast.AST, tuple[ast.AST, ...]]]:
    """Without the functions and classes inside, whose names are others'."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            continue
        yield child, (*parents, node)
        yield from _walk(child, (*parents, node))


def _imported(node: ast.AST) -> Iterator[str]:
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        for alias in node.names:
            yield alias.asname or alias.name.partition(".")[0]


def dotted(node: ast.AST) -> str:
    """As in `self.fc.weight`; empty for what is more than names and dots."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join([node.id, *reversed(parts)])


def _look(node: ast.AST, parents: Sequence[ast.AST], uses: dict[str, Use]) -> None:
    if isinstance(node, ast.arg):
        use = _use(uses, node.arg)
        if use is not None:
            use.bound.append(node.lineno)
            _by_name(use)
        return
    if not isinstance(node, (ast.Name, ast.Attribute)):
        return
    parent = parents[-1]
    if isinstance(parent, ast.Attribute):
        return  # the longer name is looked at
    text = dotted(node)
    if not text:
        return
    called = isinstance(parent, ast.Call) and parent.func is node
    owner, _, last = text.rpartition(".")
    if isinstance(node.ctx, ast.Store):
        _bind(node, text, parents, uses)
    elif called and owner:
        _of_owner(uses, owner, last, node.lineno)
    elif called:
        use = _use(uses, text)
        if use is not None and MODULE.search(text):
            use.lines.append(node.lineno)
            use.seems("module", 2)
    elif last in TENSOR_ATTRIBUTES and owner:
        _of_owner(uses, owner, last, node.lineno)
    else:
        use = _use(uses, text)
        if use is not None:
            use.lines.append(node.lineno)
            _by_name(use)
            if isinstance(parent, (ast.BinOp, ast.Compare)):
                use.seems("tensor")


def _use(uses: dict[str, Use], text: str) -> Use | None:
    if text == "self" or text.startswith("__"):
        return None
    return uses.setdefault(text, Use(text))


def _by_name(use: Use) -> None:
    last = use.text.rpartition(".")[2]
    if LOSS.search(last):
        use.seems("loss", 3)
    elif SCALAR.search(last):
        use.seems("scalar", 2)
    elif last == "grad":
        use.seems("gradient", 9)
    elif last in PARAMETERS:
        use.seems("tensor", 3)
    elif OPTIMIZER.search(last):
        use.seems("optimizer", 3)
    elif MODULE.search(last):
        use.seems("module", 3)
    elif last in ("x", "y", "out", "output", "outputs", "logits", "pred", "preds", "inputs", "hidden", "h"):
        use.seems("tensor", 2)


def _of_owner(uses: dict[str, Use], owner: str, attribute: str, line: int) -> None:
    use = _use(uses, owner)
    if use is None:
        return
    use.lines.append(line)
    _by_name(use)
    if attribute in SCALAR_CALLS:
        use.seems("loss" if attribute == "backward" else "scalar", 5)
    elif attribute in MODULE_CALLS:
        use.seems("module", 4)
    elif attribute in TENSOR_ATTRIBUTES:
        use.seems("tensor", 2)
    elif attribute == "step" and OPTIMIZER.search(owner):
        use.seems("optimizer", 4)


def _bind(node: ast.AST, text: str, parents: Sequence[ast.AST], uses: dict[str, Use]) -> None:
    use = _use(uses, text)
    if use is None:
        return
    use.bound.append(getattr(node, "lineno", 0))
    _by_name(use)
    statement = next((p for p in reversed(parents) if isinstance(p, ast.stmt)), None)
    if isinstance(statement, (ast.For, ast.AsyncFor)):
        if isinstance(statement.iter, ast.Call) and dotted(statement.iter.func) == "range":
            use.seems("other", 6)
        return
    value = getattr(statement, "value", None)
    if isinstance(value, ast.Constant):
        use.seems("other", 2)
    if isinstance(value, ast.Call):
        _by_maker(use, value)


def _by_maker(use: Use, call: ast.Call) -> None:
    maker = dotted(call.func)
    first, _, last = maker.rpartition(".")
    root = maker.partition(".")[0]
    if "criterion" in maker.lower() or LOSS.search(last) or (last[:1].isupper() and last.endswith("Loss")):
        use.seems("loss" if not last.endswith("Loss") else "module", 4)
    elif "optim" in maker or last in ("SGD", "Adam", "AdamW", "RMSprop", "LBFGS"):
        use.seems("optimizer", 6)
    elif root == "nn" or (last[:1].isupper() and MODULE.search(use.text)):
        use.seems("module", 4)
    elif last == "item":
        use.seems("scalar", 4)
    elif root in TENSOR_MAKERS or MODULE.search(maker.rpartition(".")[2]) or first == "self":
        use.seems("tensor", 2)
