"""What the user's source says: where a name was assigned, an attribute set, a function called.

Everything here reads text. A file that is absent, changed or not Python gives no answer, never an error.
"""

from __future__ import annotations

import ast
import linecache
import sys
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType, FrameType
from typing import Any, Union

from tensorpeek.probe.training.places import Place, is_users_file
from tensorpeek.probe.types_map import TypeMap

LIBRARIES = frozenset({"builtins", "torch", "numpy", "functools", "collections", "typing", "types"})
"""Whose classes are known not to be the user's, without a look at their files."""
LARGEST_FILE = 20_000
"""Lines of a file that is parsed."""
FunctionNode = Union[ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda]
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@lru_cache(maxsize=32)
def tree_of(path: str) -> ast.Module | None:
    """The file as linecache has it, which also knows a notebook's cells."""
    lines = linecache.getlines(path)
    if not lines or len(lines) > LARGEST_FILE:
        return None
    try:
        return ast.parse("".join(lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def body_of(code: CodeType) -> list[ast.stmt]:
    """The statements of a function or of a module; empty when its source is not known."""
    tree = tree_of(code.co_filename)
    if tree is None:
        return []
    if code.co_name == "<module>":
        return tree.body
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == code.co_name:
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            if first == code.co_firstlineno:
                return node.body
    return []


def own_nodes(statements: list[ast.stmt]) -> Iterator[ast.AST]:
    """Every node that runs in this frame: not what is inside of functions and classes defined there."""
    waiting: list[ast.AST] = list(reversed(statements))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            waiting.extend(reversed(list(ast.iter_child_nodes(node))))


def statement_around(path: str, line: int) -> ast.stmt | None:
    """The innermost simple statement of a file that covers the line, whatever function it is in."""
    found: ast.stmt | None = None
    tree = tree_of(path)
    for node in ast.walk(tree) if tree is not None else ():
        if not isinstance(node, ast.stmt) or not node.lineno <= line <= (node.end_lineno or node.lineno):
            continue
        if found is None or node.lineno >= found.lineno:
            found = node
    return found


def targets(statement: ast.AST) -> list[ast.expr]:
    """What a statement assigns, tuples taken apart."""
    if isinstance(statement, ast.Assign):
        whole = list(statement.targets)
    elif isinstance(statement, (ast.AnnAssign, ast.AugAssign, ast.For, ast.AsyncFor, ast.NamedExpr)):
        whole = [statement.target]
    elif isinstance(statement, (ast.With, ast.AsyncWith)):
        whole = [item.optional_vars for item in statement.items if item.optional_vars is not None]
    else:
        return []
    found: list[ast.expr] = []
    while whole:
        target = whole.pop(0)
        if isinstance(target, (ast.Tuple, ast.List)):
            whole = [*target.elts, *whole]
        else:
            found.append(target.value if isinstance(target, ast.Starred) else target)
    return found


def assignments(code: CodeType, name: str) -> list[ast.stmt]:
    """The statements of the frame that assign `name`, which may be dotted, in the order of the text."""
    return [
        node
        for node in own_nodes(body_of(code))
        if isinstance(node, ast.stmt) and any(text(target) == name for target in targets(node))
    ]


def last_assignment(frame: FrameType, name: str) -> Place | None:
    """The statement that last put a value under the name before the frame's line, as far as text can tell:
    the nearest above, else the last below, which a loop has run before.
    """
    found = assignments(frame.f_code, name)
    if not found:
        return None
    above = [node for node in found if node.lineno <= frame.f_lineno]
    node = above[-1] if above else found[-1]
    return Place(frame.f_code.co_filename, node.lineno, frame.f_code.co_name)


def attribute_assignment(cls: type, name: str, *, reads_itself: bool = False) -> Place | None:
    """Where a method of the class, or of one of its bases, sets `self.name`, from itself if that is asked
    for.
    """
    for base in cls.__mro__:
        for path, node in _class_nodes(base):
            for method in node.body:
                if not isinstance(method, (ast.FunctionDef, ast.AsyncFunctionDef)) or not method.args.args:
                    continue
                wanted = f"{method.args.args[0].arg}.{name}"
                for inner in ast.walk(method):
                    if reads_itself and not reads(inner, wanted):
                        continue
                    if any(text(target) == wanted for target in targets(inner)):
                        return Place(path, getattr(inner, "lineno", method.lineno), method.name)
    return None


def reads(statement: ast.AST, name: str) -> bool:
    """Whether an assignment makes the name's new value from its old one."""
    if isinstance(statement, ast.AugAssign):
        return text(statement.target) == name
    value = getattr(statement, "value", None)
    return isinstance(value, ast.AST) and any(
        text(inner) == name for inner in ast.walk(value) if isinstance(inner, (ast.Name, ast.Attribute))
    )


def _class_nodes(cls: type) -> Iterator[tuple[str, ast.ClassDef]]:
    path = file_of_class(cls)
    tree = tree_of(path) if path and is_users_file(path) else None
    if tree is None:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node.name == cls.__name__:
            yield path, node


def file_of_class(cls: type) -> str:
    """Where its code lies; empty when that is not known. A class in a notebook is found by its methods."""
    for value in vars(cls).values():
        function = getattr(value, "__func__", value)
        code = getattr(function, "__code__", None)
        if isinstance(code, CodeType) and code.co_name != "__create_fn__":
            return code.co_filename
    module: Any = sys.modules.get(cls.__module__)
    path = getattr(module, "__file__", None)
    return path if isinstance(path, str) else ""


def is_users_class(cls: type) -> bool:
    if cls.__module__.partition(".")[0] in LIBRARIES:
        return False
    known = _is_users_class.get(cls)
    if known is None:
        path = file_of_class(cls)
        known = bool(path) and is_users_file(path)
        _is_users_class.set(cls, known)
    return known


_is_users_class: TypeMap[bool] = TypeMap()


def calls(path: str, *names: str) -> list[ast.Call]:
    """Every call in the file of a function or method with one of the names, in the order of the text."""
    tree = tree_of(path)
    if tree is None:
        return []
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and called(node) in names]
    return sorted(found, key=lambda call: (call.lineno, call.col_offset))


def called(call: ast.Call) -> str:
    """The last word of what is called: `relu` for `torch.nn.functional.relu(x)`."""
    function = call.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def text(node: ast.AST | None) -> str:
    """The expression as Python would write it."""
    try:
        return ast.unparse(node) if node is not None else ""
    except (RecursionError, ValueError):
        return ""


def user_files(frame: FrameType | None, modules: list[Any]) -> list[str]:
    """The user's files that a training consists of, as far as a frame and its models tell: nearest first."""
    found: dict[str, None] = {}
    while frame is not None:
        found[frame.f_code.co_filename] = None
        frame = frame.f_back
    main = getattr(sys.modules.get("__main__"), "__file__", None)
    if not found and isinstance(main, str):
        found[main] = None
    for module in modules:
        found.update((file_of_class(type(part)), None) for part in module.modules())
    return [path for path in found if path and is_users_file(path)]


def function_of(path: str, line: int) -> str:
    """The name of the innermost function around a line; empty for the module itself."""
    tree, name = tree_of(path), ""
    for node in ast.walk(tree) if tree is not None else ():
        is_function = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        if is_function and node.lineno <= line <= (node.end_lineno or node.lineno):
            name = node.name
    return name
