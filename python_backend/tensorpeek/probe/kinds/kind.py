"""What a kind of value has to answer. It may raise on a hostile value: `answers.py` catches that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Protocol, Union

from tensorpeek.contract.messages import Presentation, PresentationKind
from tensorpeek.probe.budget import Deadline

Evaluate = Union[str, Callable[[str], str], None]
"""How a child's expression follows from its parent's: a suffix such as `.grad` or `[0]`, a function of the
parent's expression, or None where there is no expression."""


@dataclass(frozen=True)
class Child:
    """One row under an expanded value."""

    name: str
    value: object
    evaluate: Evaluate = None


class Work(Protocol):
    """Work that makes a line complete, in as many slices as it takes; `statistics.Scan` is one."""

    @property
    def cost(self) -> int:
        """Elements still to be read, 0 when done."""
        ...

    def advance(self, deadline: Deadline) -> bool:
        """Works until done (True) or until the deadline (False)."""
        ...


class Kind(Protocol):
    """One kind of value. Instances hold no state: one instance serves every value."""

    presentation_kind: PresentationKind

    def matches(self, cls: type) -> bool:
        """Whether values of this class are of this kind. Asked once per class, in the order of the list."""
        ...

    def scan(self, value: Any) -> Work | None:
        """New work for the value, or None when its text needs none."""
        ...

    def present(self, value: Any, scan: Any) -> Presentation | None:
        """The line, from what this kind's own scan knows so far; without a scan, the head only.

        The caller sets `pending` and `partial`. None leaves the text to pydevd.
        """
        ...

    def children(self, value: Any) -> list[Child] | None:
        """The rows under the value; None leaves them to pydevd."""
        ...
