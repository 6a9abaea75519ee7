"""The line of a value, and the two values that synthetic children are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable

from tensorpeek.contract.messages import Presentation, PresentationKind, PresentationStyle

if TYPE_CHECKING:
    from tensorpeek.probe.kinds.kind import Child


def present(
    text: str, kind: PresentationKind, *, alarm: str = "", style: PresentationStyle | None = None
) -> Presentation:
    """A presentation with only the fields that say something; `text` begins with `alarm`."""
    presentation: Presentation = {"text": text, "kind": kind}
    if alarm:
        presentation["alarm"] = alarm
    if style is not None:
        presentation["style"] = style
    return presentation


class Text(str):
    """The value of a child that is only a text: shown bare, without quotes.

    It is a `str` because pydevd gives strings no children.
    """

    __slots__ = ("style",)
    style: PresentationStyle | None

    def __new__(cls, text: str, style: PresentationStyle | None = None) -> Text:
        self = super().__new__(cls, text)
        self.style = style
        return self


class Group:
    """The value of a child whose own children are made only when it is expanded.

    A group stands for its parent: give its `Child` the suffix `""`, so that the suffixes of what is inside
    continue the parent's expression.
    """

    __slots__ = ("_make_children", "label")

    def __init__(self, label: str, make_children: Callable[[], list[Child]]) -> None:
        self.label = label
        self._make_children = make_children

    def make_children(self) -> list[Child]:
        """The children, made anew at each call."""
        return self._make_children()


# pydevd shows the class name as the type of a variable; these have no type a user would know.
Text.__name__ = Group.__name__ = ""
