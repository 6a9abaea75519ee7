"""The catalogue as the tables of the README."""

from __future__ import annotations

from collections.abc import Iterable

from tensorpeek.catalogue.conditions import CONDITIONS
from tensorpeek.catalogue.functions import ACCEPTED, FUNCTIONS


def conditions_table() -> str:
    """Every training-wide condition: its check box, what it does, its settings, its words for `--break`."""
    rows = [
        (
            info.label,
            info.description,
            ", ".join(f"`{parameter.name}={parameter.default:g}`" for parameter in info.parameters),
            ", ".join(f"`{word}`" for word in (info.id, *info.aliases)),
        )
        for info in CONDITIONS
    ]
    return _table(("check box", "what it does", "settings", "`--break`"), rows)


def functions_table() -> str:
    """Every function of `tp`, and what it may be asked of."""
    rows = [(f"`{info.signature}`", info.help, f"`{info.example}`") for info in FUNCTIONS]
    return f"{ACCEPTED}\n\n{_table(('function', 'says', 'example'), rows)}"


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = list(head)
    lines = [_row(head), _row(["---"] * len(head)), *map(_row, rows)]
    return "\n".join(lines)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
