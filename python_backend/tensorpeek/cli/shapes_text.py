"""A trace as text: the source with the shapes of each line, and the tree of modules."""

from __future__ import annotations

import os
from collections.abc import Iterable

from tensorpeek.cli.console import clean
from tensorpeek.contract.messages import ShapeSymbol, ShapeTrace, ShapeValue, TracedFile
from tensorpeek.runs.module_table import module_table, shape_text

WIDEST_CODE = 72
"""Columns; what is longer has its shapes right behind it."""
MOST_VALUES = 4


def annotated(trace: ShapeTrace) -> str:
    """The traced functions of each file."""
    files = [file for file in trace["files"] if _hints(file)]
    return "\n\n".join(_short(file["path"]) + "\n" + "\n".join(_lines(file)) for file in files)


def heading(trace: ShapeTrace) -> str:
    """What was traced, the symbols, and what went wrong."""
    lines = [trace["entry"]]
    lines += [f"  {symbol['name']}{_size(symbol)}  {symbol['origin']}" for symbol in trace["symbols"]]
    for remark in trace["remarks"]:
        lines.append(f"  {_short(remark['path'])}:{remark['line']}  {remark['title']}: {remark['message']}")
        lines += [f"    → {advice}" for advice in remark["next"]]
    if trace["problem"]:
        lines.append(f"  {trace['problem']}")
    return "\n".join(lines)


def table(trace: ShapeTrace, is_coloured: bool) -> str:
    """The tree of modules, without control characters but for our own, which grey what was not called."""
    lines = module_table(trace["modules"])
    return "\n".join(
        f"\033[2m{clean(line.text)}\033[0m" if is_coloured and line.is_faint else clean(line.text)
        for line in lines
    )


def _size(symbol: ShapeSymbol) -> str:
    return f" = {symbol['size']}" if symbol["size"] >= 0 else ""


def all_shown(values: Iterable[ShapeValue], calls: int) -> str:
    """`[4, 16] | [4, 32] ×3`."""
    texts = list(dict.fromkeys(shape_text(value) for value in values))
    more = [f"… {len(texts) - MOST_VALUES} more"] if len(texts) > MOST_VALUES else []
    times = f" ×{calls}" if calls > 1 else ""
    return " | ".join(texts[:MOST_VALUES] + more) + times


def _lines(file: TracedFile) -> list[str]:
    source = file["text"].split("\n")
    hints = _hints(file)
    wanted: set[int] = set()
    for function in file["functions"]:
        # What a library does besides, as registering a class, has no shapes.
        if not any(function["line"] <= line <= function["endLine"] for line in hints):
            continue
        wanted.update(range(function["line"], min(function["endLine"], len(source)) + 1))
    widest = max(
        (len(source[line - 1]) for line in wanted & hints.keys() if len(source[line - 1]) <= WIDEST_CODE),
        default=0,
    )
    lines: list[str] = []
    previous = 0
    for line in sorted(wanted):
        if previous and line > previous + 1:
            lines.append("")
        previous = line
        text = source[line - 1].rstrip()
        hint = hints.get(line)
        lines.append(f"{line:5}  {text.ljust(widest)}  # → {hint}" if hint else f"{line:5}  {text}".rstrip())
    return lines


def _hints(file: TracedFile) -> dict[int, str]:
    """By line: the names that are bound there, or else the largest expression that ends there."""
    hints: dict[int, str] = {}
    sizes: dict[int, tuple[int, int]] = {}
    for row in file["expressions"]:
        size = (row["endLine"] - row["line"], row["endColumn"] - row["column"])
        if row["values"] and size >= sizes.get(row["endLine"], (0, 0)):
            sizes[row["endLine"]] = size
            hints[row["endLine"]] = all_shown(row["values"], row["calls"])
    bound: dict[int, list[str]] = {}
    for name in file["names"]:
        if name["values"]:
            bound.setdefault(name["endLine"], []).append(
                f"{name['name']}: {all_shown(name['values'], name['calls'])}"
            )
    for line, texts in bound.items():
        only = texts[0].partition(": ")[2] if len(texts) == 1 else ", ".join(texts)
        hints[line] = only
    return hints


def _short(path: str) -> str:
    try:
        relative = os.path.relpath(path)
    except (OSError, ValueError):
        return path
    return path if relative.startswith("..") else relative
