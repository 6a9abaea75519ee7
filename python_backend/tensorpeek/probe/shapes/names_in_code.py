"""What a traced program calls its sizes: `b, t, d = x.shape`, `rearrange(x, "b t d -> b d t")`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

from tensorpeek.contract.messages import TracedFile
from tensorpeek.probe.quiet import ignored_warnings

PLAIN = re.compile(r"[A-Za-z]\w{0,15}")
TOKENS = re.compile(r"\([^()]*\)|\.\.\.|…|[^\s()]+")
EINOPS = ("rearrange", "repeat", "reduce")
FROM_SHAPE = re.compile(r"=.*\.(shape|size\()")
LONGEST_ORIGIN = 80


class Rank(IntEnum):
    """How much a name says; where a better one is there, it is taken."""

    OF_LIBRARY = 0
    LETTER = 1
    """Of `einsum`."""
    ARGUMENT = 2
    PATTERN = 3
    ASSIGNED = 4


@dataclass(frozen=True)
class Claim:
    dims: tuple[str, ...]
    """Torch's symbols that the name stood for, as `("s0",)`."""
    name: str
    rank: Rank
    origin: str
    times: int


def claims(file: TracedFile, is_users: bool) -> Iterator[Claim]:
    """Of a library only what it takes from a shape: its other words mean whatever it is called with."""
    try:
        with ignored_warnings():
            tree = ast.parse(file["text"])
    except (SyntaxError, ValueError, RecursionError):
        return
    for claim in (*_bound(file, tree), *_in_patterns(file, tree)):
        if is_users:
            yield claim
        elif FROM_SHAPE.search(claim.origin):
            yield Claim(claim.dims, claim.name, Rank.OF_LIBRARY, claim.origin, claim.times)


def _bound(file: TracedFile, tree: ast.AST) -> Iterator[Claim]:
    arguments = {(node.lineno, node.col_offset) for node in ast.walk(tree) if isinstance(node, ast.arg)}
    for row in file["names"]:
        dims = [value["dims"] for value in row["values"] if value["kind"] == "number"]
        if dims and len(dims) == len(row["values"]) and PLAIN.fullmatch(row["name"]):
            is_argument = (row["line"], row["column"]) in arguments
            rank = Rank.ARGUMENT if is_argument else Rank.ASSIGNED
            alone = tuple(dim[0] if len(dim) == 1 else "" for dim in dims)
            yield Claim(alone, row["name"], rank, _origin(file, row["line"]), row["calls"])


def _in_patterns(file: TracedFile, tree: ast.AST) -> Iterator[Claim]:
    results = {
        (row["line"], row["column"], row["endLine"], row["endColumn"]): row for row in file["expressions"]
    }
    for call in ast.walk(tree):
        row = (
            results.get((call.lineno, call.col_offset, call.end_lineno or 0, call.end_col_offset or 0))
            if isinstance(call, ast.Call)
            else None
        )
        axes, rank = _axes(call) if row is not None and isinstance(call, ast.Call) else ([], Rank.PATTERN)
        for position, name in enumerate(axes):
            if row is None or not PLAIN.fullmatch(name):
                continue
            dims = [
                _at(value["dims"], axes, position) for value in row["values"] if value["kind"] == "tensor"
            ]
            yield Claim(tuple(dims), name, rank, _origin(file, row["line"]), row["calls"])


def _axes(call: ast.Call) -> tuple[list[str], Rank]:
    """What a pattern says of the dims of the result, in their order; `...` for any number of them."""
    function = call.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    texts = [node.value for node in call.args if isinstance(node, ast.Constant)]
    pattern = next((text for text in texts if isinstance(text, str) and "->" in text), "")
    after = pattern.partition("->")[2].strip()
    if name in EINOPS:
        return TOKENS.findall(after), Rank.PATTERN
    if name != "einsum":
        return [], Rank.PATTERN
    if " " in after:
        return TOKENS.findall(after), Rank.PATTERN
    return re.findall(r"\.\.\.|\w", after), Rank.LETTER


def _at(dims: list[str], axes: list[str], position: int) -> str:
    """The dim that an axis of a pattern is; empty where the two don't fit."""
    open_at = [index for index, axis in enumerate(axes) if axis in ("...", "…")]
    if not open_at:
        return dims[position] if len(dims) == len(axes) else ""
    if len(open_at) > 1 or len(dims) < len(axes) - 1:
        return ""
    return dims[position] if position < open_at[0] else dims[position - len(axes)]


def _origin(file: TracedFile, line: int) -> str:
    lines = file["text"].splitlines()
    text = lines[line - 1].strip().rstrip(",") if line <= len(lines) else ""
    short = re.split(r"[\\/]", file["path"])[-1]
    return f"{text[:LONGEST_ORIGIN]} ({short}:{line})"
