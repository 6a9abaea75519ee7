"""`python -m tensorpeek shapes --table` as a person sees it in a terminal."""

from __future__ import annotations

import io
from typing import Any

from shape_traces import LINEAR

from tensorpeek.cli.console import shows_colours
from tensorpeek.cli.shapes_text import table

GREY = "\033[2m"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def trace() -> Any:
    called = {**LINEAR, "path": "", "type": "Net", "calls": 1}
    uncalled = {**LINEAR, "path": "evil\033[31m", "calls": 0}
    return {"modules": [called, uncalled]}


def test_what_was_not_called_is_grey_in_a_terminal_and_nowhere_else(monkeypatch: Any) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    grey = [line for line in table(trace(), shows_colours(Terminal())).split("\n") if GREY in line]
    assert len(grey) == 1
    assert "never called" in grey[0]
    assert "\033" not in table(trace(), shows_colours(io.StringIO()))
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\033" not in table(trace(), shows_colours(Terminal()))


def test_names_can_not_move_the_cursor() -> None:
    assert "evil?[31m (Linear)" in table(trace(), is_coloured=True)
