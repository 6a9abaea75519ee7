"""A hit count as DAP has it, in the words of `lines.line`, which are debugpy's."""

from __future__ import annotations

import re

FORMS = re.compile(r"\s*(?P<sign>%|==|>=|<=|!=|>|<|=|)\s*(?P<number>\d+)\s*")


def hit_condition(text: str) -> str:
    """Of `5`, `>= 5` and `% 5`; anything else is an expression and stays. Empty for none."""
    form = FORMS.fullmatch(text)
    if form is None:
        return text
    if form["sign"] == "%":
        return f"@HIT@ % {form['number']} == 0"
    sign = "==" if form["sign"] in ("", "=") else form["sign"]
    return f"@HIT@ {sign} {form['number']}"
