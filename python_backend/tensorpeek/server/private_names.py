"""Names such as `__weight` in a class `Net`, which Python stores as `_Net__weight`.

The code in the class knows; what a debugger evaluates does not.
"""

from __future__ import annotations

import ast
import copy


def mangled(name: str, class_name: str) -> str:
    """The name under which `name`, written in class `class_name` (empty for none), is stored."""
    owner = class_name.lstrip("_")
    is_private = name.startswith("__") and not name.endswith("__") and "." not in name
    return f"_{owner}{name}" if is_private and owner else name


def with_private_names(node: ast.expr, class_name: str) -> ast.expr:
    """A copy with the names as they are stored, or the node itself when it holds no private name."""
    renamed = _Mangler(class_name).visit(copy.deepcopy(node))
    return node if ast.dump(renamed) == ast.dump(node) else renamed


class _Mangler(ast.NodeTransformer):
    def __init__(self, class_name: str) -> None:
        self._class_name = class_name

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = mangled(node.id, self._class_name)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        node.attr = mangled(node.attr, self._class_name)
        return self.generic_visit(node)
