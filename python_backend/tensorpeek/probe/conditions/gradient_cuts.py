"""Finds the line that cuts the gradient off from a module: `detach()` and its kin on what the module gave."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import CodeType
from typing import Any, NamedTuple

from tensorpeek.probe.training import source
from tensorpeek.probe.training.moments import Step
from tensorpeek.probe.training.places import Place, is_users_code
from tensorpeek.probe.training.user_values import locals_of, user_frames

CUTTING_CALLS = {
    "detach": "detach()",
    "detach_": "detach_()",
    "item": "item()",
    "numpy": "numpy()",
    "tolist": "tolist()",
}
ASSIGNING = (ast.Assign, ast.AugAssign, ast.AnnAssign)
NEW_TENSOR = ("tensor", "as_tensor", "from_numpy", "FloatTensor", "Tensor")
NO_GRADIENT = ("no_grad", "inference_mode", "set_grad_enabled")


class Cut(NamedTuple):
    place: Place
    what: str
    advice: str
    is_conditional: bool = False
    """It stands in a branch: the program cuts at times, and means it."""


def find_cut(step: Step, modules: list[Any]) -> Cut | None:
    """The one place in the user's forwards and loops where the output of these modules loses its gradient.

    None where there is none, or several that fit: which of them it is cannot be read from the text. Where one
    is conditional, that one.
    """
    found: dict[tuple[str, int], Cut] = {}
    names = _names_of(step, modules)
    for code in _codes(step):
        for cut in _cuts_in(code, names):
            found.setdefault((cut.place.path, cut.place.line), cut)
    meant = [cut for cut in found.values() if cut.is_conditional]
    if meant:
        return meant[0]
    return next(iter(found.values())) if len(found) == 1 else None


def _codes(step: Step) -> Iterator[CodeType]:
    """Where the modules are used: the forwards of the models around them, and the frames of the loop."""
    seen: set[CodeType] = set()
    for root in step.training.models.roots():
        for module in root.modules():
            code = getattr(getattr(type(module), "forward", None), "__code__", None)
            if code is not None and code not in seen and is_users_code(code):
                seen.add(code)
                yield code
    for frame in user_frames(step.frame):
        if frame.f_code not in seen:
            seen.add(frame.f_code)
            yield frame.f_code


def _names_of(step: Step, modules: list[Any]) -> set[str]:
    """What the program calls the modules: each word of their paths, and the frames' names of their models."""
    names: set[str] = set()
    for module in modules:
        names.update(
            word for word in step.training.models.module_path(module).split(".") if not word.isdigit()
        )
    concerned = set(map(id, modules))
    roots = [
        root for root in step.training.models.roots() if any(id(part) in concerned for part in root.modules())
    ]
    for frame in user_frames(step.frame):
        names.update(name for name, value in locals_of(frame).items() if any(value is root for root in roots))
    return names - {""}


def _cuts_in(code: CodeType, names: set[str]) -> Iterator[Cut]:
    """What cuts a value that comes, through assignments of this function, from a call of one of the names."""
    body = source.body_of(code)
    carriers = _carriers(body, names)
    branches = _in_branches(body)
    for node in _flowing(body):
        yield from (
            cut._replace(is_conditional=node in branches) for cut in _cuts_at(code, node, names, carriers)
        )


def _in_branches(body: list[ast.stmt]) -> set[ast.AST]:
    """The nodes that run at times only: in an `if`, or in `a if b else c`."""
    branches = [
        node
        for node in source.own_nodes(body)
        if isinstance(node, (ast.If, ast.IfExp)) and "__name__" not in source.text(node.test)
    ]
    return {inner for branch in branches for inner in ast.walk(branch) if inner is not branch}


def _cuts_at(code: CodeType, node: ast.AST, names: set[str], carriers: set[str]) -> Iterator[Cut]:
    if isinstance(node, (ast.With, ast.AsyncWith)):
        what = next((word for item in node.items if (word := _called(item.context_expr)) in NO_GRADIENT), "")
        if what and any(_uses(inner, names, set()) for inner in node.body):
            yield _cut(
                code, node, f"{what}()", "Compute it outside of the block, where gradients are recorded."
            )
    elif isinstance(node, ast.Call):
        word = source.called(node)
        if isinstance(node.func, ast.Attribute) and word in CUTTING_CALLS:
            if _uses(node.func.value, names, carriers):
                yield _cut(code, node, CUTTING_CALLS[word], f"Leave {CUTTING_CALLS[word]} out there.")
        elif word in NEW_TENSOR and node.args and _uses(node.args[0], names, carriers):
            yield _cut(
                code, node, f"{word}()", f"Use the tensor itself; {word}() copies it without gradient."
            )
    elif _is_data(node) and _uses(node, names, carriers):
        yield _cut(code, node, ".data", "Use the tensor itself instead of .data.")


def _is_data(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "data" and isinstance(node.ctx, ast.Load)


def _flowing(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """The nodes of the statements whose values get into what the function returns, or into a loss."""
    statements = [node for node in source.own_nodes(body) if isinstance(node, ast.stmt)]
    wanted = {name for node in statements for name in _ends(node)}
    for _ in range(10):
        before = len(wanted)
        for node in statements:
            if isinstance(node, ASSIGNING) and any(
                source.text(each) in wanted for each in source.targets(node)
            ):
                wanted.update(_names_in(node.value))
        if len(wanted) == before:
            break
    for node in statements:
        if isinstance(node, ast.Return) or (
            isinstance(node, ASSIGNING) and any(source.text(each) in wanted for each in source.targets(node))
        ):
            yield from ast.walk(node)
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            inside = [inner for inner in ast.walk(node) if isinstance(inner, ASSIGNING)]
            if any(source.text(each) in wanted for inner in inside for each in source.targets(inner)):
                yield node


def _ends(node: ast.stmt) -> set[str]:
    """The names in what a function returns, and of losses that it calls backward on."""
    if isinstance(node, ast.Return):
        return _names_in(node.value)
    found: set[str] = set()
    for inner in ast.walk(node) if isinstance(node, (ast.Expr, ast.Assign)) else ():
        if isinstance(inner, ast.Call) and source.called(inner) in ("backward", "manual_backward"):
            found.update(_names_in(inner.func))
            found.update(name for argument in inner.args for name in _names_in(argument))
    return found


def _names_in(node: ast.AST | None) -> set[str]:
    inner = ast.walk(node) if node is not None else ()
    return {source.text(each) for each in inner if isinstance(each, (ast.Name, ast.Attribute))}


def _cut(code: CodeType, node: ast.AST, what: str, advice: str) -> Cut:
    return Cut(Place(code.co_filename, getattr(node, "lineno", 0), code.co_name), what, advice)


def _called(node: ast.AST) -> str:
    return source.called(node) if isinstance(node, ast.Call) else ""


def _carriers(body: list[ast.stmt], names: set[str]) -> set[str]:
    """Names in the function whose values come from the modules, followed through its assignments."""
    found: set[str] = set()
    for _ in range(3):
        before = len(found)
        for node in source.own_nodes(body):
            if isinstance(node, ASSIGNING) and node.value is not None and _uses(node.value, names, found):
                found.update(source.text(target) for target in source.targets(node))
        if len(found) == before:
            break
    return found


def _uses(node: ast.AST, names: set[str], carriers: set[str]) -> bool:
    """Whether an expression calls one of the modules or reads what came from one."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call):
            words = source.text(inner.func).replace("[", ".").replace("]", "").split(".")
            if words[-1] not in CUTTING_CALLS and any(word in names for word in words):
                return True
        elif isinstance(inner, (ast.Name, ast.Attribute)) and source.text(inner) in carriers:
            return True
    return False
