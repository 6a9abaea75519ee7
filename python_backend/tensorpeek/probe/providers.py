"""What pydevd asks for: the text and the children of a value. Thin: `answers` knows what to say."""

from __future__ import annotations

from typing import Any

from tensorpeek.contract.envelope import wrap
from tensorpeek.probe import pydevd_access
from tensorpeek.probe.answers import Answers
from tensorpeek.probe.kinds.registry import kind_of
from tensorpeek.probe.presentation import Group, Text
from tensorpeek.probe.process import problem_of_torch
from tensorpeek.probe.raw import class_of, is_a
from tensorpeek.probe.reprs import is_quick
from tensorpeek.probe.tensors.address_view import NO_STORAGE, STORAGE_TOO_SMALL
from tensorpeek.probe.tensors.facts import tensor_facts

ORDINARY_CONTEXTS = ("repl", "clipboard")
"""Where the user wants what Python prints, whole."""


class ValueText:
    """pydevd's StrPresentationProvider. It must never raise: pydevd would drop it for that class for good."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers

    def can_provide(self, type_object: type, type_name: str) -> bool:
        return not problem_of_torch() and (
            kind_of(type_object) is not None
            or type_object is Text
            or type_object is Group
            or not is_quick(type_object)
        )

    def get_str_in_context(self, value: Any, context: str) -> str | None:
        if context in ORDINARY_CONTEXTS and not crashes_when_printed(value):
            return None
        return self.get_str(value)

    def get_str(self, value: Any) -> str | None:
        presentation = self._answers.first(value)
        if presentation is None:
            return None
        return wrap(presentation) if self._answers.is_configured else presentation["text"]


class ValueChildren:
    """pydevd's TypeResolveProvider."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers

    def can_provide(self, type_object: type, type_name: str) -> bool:
        return not problem_of_torch() and (type_object is Group or kind_of(type_object) is not None)

    def get_contents_debug_adapter_protocol(self, value: Any, fmt: Any = None) -> pydevd_access.Entries:
        return self._answers.children(value)

    def get_dictionary(self, value: Any) -> dict[str, Any]:
        return {name: child for name, child, _ in self._answers.children(value)}

    def resolve(self, value: Any, attribute: str) -> Any:
        return self.get_dictionary(value).get(attribute)

    def change_var_from_name(self, container: Any, name: str, value: Any) -> Any:
        return pydevd_access.rename_child(container, name, value)


def crashes_when_printed(value: Any) -> bool:
    """Whether torch's own print-out would read memory that was freed, and end the program."""
    if not is_a(class_of(value), "torch.Tensor"):
        return False
    return tensor_facts(value).why_no_data in (NO_STORAGE, STORAGE_TOO_SMALL)
