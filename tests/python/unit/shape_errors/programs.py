"""Collects programs with an operation whose shapes do not fit, which are right when `sick` is False.

The failing line carries `# fails`.
"""

from __future__ import annotations

from collections.abc import Callable

Program = Callable[[bool], object]


class Programs:
    """A decorator, with words of the finding: of its message, its advice, or its related lines."""

    def __init__(self) -> None:
        self.all: list[tuple[Program, tuple[str, ...]]] = []

    def __call__(self, *words: str) -> Callable[[Program], Program]:
        def add(program: Program) -> Program:
            self.all.append((program, words))
            return program

        return add
