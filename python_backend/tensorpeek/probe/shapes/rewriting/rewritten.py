"""A file whose functions tell a recorder what their expressions give.

What is added has the positions of what it is about: lines and tracebacks stay as they are.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from tensorpeek.probe.quiet import ignored_warnings
from tensorpeek.probe.shapes.rewriting.codes import Codes
from tensorpeek.probe.shapes.rewriting.places import Places
from tensorpeek.probe.shapes.rewriting.statements import Statements


class Rewritten(NamedTuple):
    path: str
    text: str
    places: Places
    codes: Codes


def rewritten(path: str, text: str) -> Rewritten:
    """Raises SyntaxError, ValueError, RecursionError or MemoryError for a text that Python can't compile."""
    places = Places()
    # Python warns of a constant that is called.
    with ignored_warnings():
        tree = ast.parse(text, path)
        own = compile(tree, path, "exec", dont_inherit=True)
        other = compile(Statements(places).visit(tree), path, "exec", dont_inherit=True)
    return Rewritten(path, text, places, Codes(own, other))
