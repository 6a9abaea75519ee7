"""The expression around a position that is safe to evaluate by hovering.

Safe means that evaluating it runs no call that stands in it: names, attributes, subscripts, and operators
where the pointer is on the operator. Never a call, `await`, a comprehension, a lambda, a walrus or `yield`.
"""

from __future__ import annotations

import ast
import unicodedata
from collections.abc import Sequence

from tensorpeek.contract.messages import EvaluatableExpression
from tensorpeek.server.declaration import declared_span
from tensorpeek.server.fstring import field_at
from tensorpeek.server.private_names import mangled, with_private_names
from tensorpeek.server.source import Source
from tensorpeek.server.syntax import class_around, hidden_names, is_formatted_string, is_string, nodes_around
from tensorpeek.server.unfinished import chain_at
from tensorpeek.server.word import target_character, word_around

Found = tuple[int, int, str]
"""The span of the text, and the Python that yields its value."""

Position = tuple[int, int]
"""0-based line, and character in UTF-16 code units."""

_SAFE = (
    ast.Name,
    ast.Attribute,
    ast.Subscript,
    ast.Slice,
    ast.Tuple,
    ast.List,
    ast.Constant,
    ast.BinOp,
    ast.UnaryOp,
    ast.Compare,
    ast.operator,
    ast.unaryop,
    ast.cmpop,
    ast.expr_context,
)
_CONSUMING = (ast.In, ast.NotIn)
"""`x in iterator` moves the iterator on."""


def evaluatable_expression(
    source: Source, line: int, character: int, end: Position | None = None
) -> EvaluatableExpression | None:
    """The answer to `tensorpeek/evaluatableExpression`; with `end`, for the selection up to there."""
    offset = source.offset_of_position(line, character)
    if end is not None:
        found = selected_expression(source, offset, source.offset_of_position(*end))
    elif source.tree is None:
        found = unfinished_expression_at(source, offset)
    else:
        found = expression_at(source, offset)
    if found is None:
        return None
    start, after, expression = found
    start_line, start_character = source.position_of_offset(start)
    end_line, end_character = source.position_of_offset(after)
    return {
        "expression": expression,
        "startLine": start_line,
        "startCharacter": start_character,
        "endLine": end_line,
        "endCharacter": end_character,
    }


def expression_at(source: Source, offset: int, outer: Sequence[ast.AST] = ()) -> Found | None:
    """The expression at a caret position of a valid text.

    `outer` are the nodes around the whole text, where it is a piece of another one.
    """
    target = target_character(source.text, offset)
    if target is None:
        return None
    nodes = nodes_around(source, target)
    if not nodes or _in_comment(source, target):
        return None
    around = [*outer, *nodes]
    innermost = nodes[-1]
    if is_formatted_string(innermost):
        return _in_field(source, offset, target, around)
    if isinstance(innermost, ast.expr):
        meant = _meant(source, target, around)
        if meant is None or not is_safe(meant) or _names(meant) & hidden_names(around):
            return None
        return _answer(source, meant, class_around(around))
    return _declaration(source, target, around)


def unfinished_expression_at(source: Source, offset: int) -> Found | None:
    """The dotted name or subscript at a caret position of a text that is no valid Python just now."""
    line = source.line_of(offset)
    start = source.line_start(line)
    span = chain_at(source.line_text(line), offset - start)
    if span is None:
        return None
    first, after = span
    expression = source.line_text(line)[first:after]
    try:
        body = ast.parse(expression, mode="eval").body
    except (SyntaxError, ValueError):
        return None
    return (start + first, start + after, expression) if is_safe(body) else None


def selected_expression(source: Source, start: int, after: int) -> Found | None:
    """The expression that is selected, spaces around it apart; None where the selection is no safe one."""
    selected = source.text[start:after]
    start += len(selected) - len(selected.lstrip())
    text = selected.strip()
    is_one_line = "\n" not in text and "\r" not in text
    try:
        body = ast.parse(text if is_one_line else f"({text}\n)", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    around = nodes_around(source, start) if source.tree is not None and text else []
    if not is_safe(body) or _names(body) & hidden_names(around):
        return None
    as_stored = with_private_names(body, class_around(around))
    is_as_written = as_stored is body and is_one_line
    return start, start + len(text), text if is_as_written else ast.unparse(as_stored)


def is_safe(node: ast.AST) -> bool:
    """Whether the expression consists of nothing that calls or consumes."""
    return all(isinstance(part, _SAFE) and not isinstance(part, _CONSUMING) for part in ast.walk(node))


def _meant(source: Source, target: int, around: Sequence[ast.AST]) -> ast.expr | None:
    """What to show for the innermost expression: itself, the subscript that it is an index of, or nothing."""
    node = around[-1]
    character = source.text[target]
    if isinstance(node, ast.Name):
        return node
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        return None if character.isspace() else node
    if _is_literal_index(node):
        return _subscript_around(around)
    if isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Compare)):
        return None if character.isspace() or character in "()\\" else node
    return None


def _is_literal_index(node: ast.AST) -> bool:
    """A constant, a negative one, or the punctuation between several: `1`, `-1`, `1:`, `..., 0`."""
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.operand, ast.Constant)
    return isinstance(node, (ast.Constant, ast.Slice, ast.Tuple, ast.List))


def _subscript_around(around: Sequence[ast.AST]) -> ast.Subscript | None:
    child = around[-1]
    for node in reversed(around[:-1]):
        if isinstance(node, ast.Subscript):
            return node if child is node.slice else None
        if not _is_literal_index(node):
            return None
        child = node
    return None


def _declaration(source: Source, target: int, around: Sequence[ast.AST]) -> Found | None:
    """A name where it is bound by something that is no expression: a parameter, an import, `except … as`."""
    word = word_around(source.text, target)
    span = declared_span(around[-1], source, *word) if word is not None else None
    if span is None:
        return None
    start, end = span
    expression = unicodedata.normalize("NFKC", source.text[start:end])
    hidden = expression in hidden_names(around)
    return None if hidden else (start, end, mangled(expression, class_around(around)))


def _in_field(source: Source, offset: int, target: int, around: Sequence[ast.AST]) -> Found | None:
    """The expression in a replacement field of an f-string."""
    start, end = source.span(around[-1])
    field = field_at(source.text, start, end, target)
    if field is None:
        return None
    first, after = field
    # In brackets, as Python reads it: a field may begin with a space or span lines.
    shift = first - 1
    found = expression_at(Source(f"({source.text[first:after]})"), offset - shift, around)
    return None if found is None else (found[0] + shift, found[1] + shift, found[2])


def _names(node: ast.expr) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _answer(source: Source, node: ast.expr, class_name: str) -> Found:
    start, end = source.span(node)
    text = source.text[start:end]
    as_stored = with_private_names(node, class_name)
    if as_stored is not node or "\n" in text or "\r" in text:
        # A debugger's prompt takes one line.
        return start, end, ast.unparse(as_stored)
    return start, end, text


def _in_comment(source: Source, target: int) -> bool:
    line_start = source.line_start(source.line_of(target))
    hashes = (at for at in range(line_start, target + 1) if source.text[at] == "#")
    return any(not is_string(nodes_around(source, at)[-1]) for at in hashes)
