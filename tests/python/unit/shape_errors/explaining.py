"""Runs a program and returns what is said of its error."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import torch

from tensorpeek.catalogue.conditions import chosen
from tensorpeek.catalogue.settings import parse_settings
from tensorpeek.contract.messages import Finding
from tensorpeek.probe.training.training import Training

NO_LIMIT = 1e9


def findings_of(program: Callable[[], object], words: str) -> list[Finding]:
    """All that the conditions say, of the program and of what it raises."""
    found: list[Finding] = []

    def listen(finding: Finding, frame: object, values: dict[str, Any]) -> None:
        found.append(finding)

    torch.manual_seed(0)
    training = Training()
    training.add_listener(listen)
    training.configure({info.id: parse_settings(info, "") for info in chosen(words)}, NO_LIMIT)
    training.start()
    try:
        program()
    except Exception as error:  # noqa: BLE001  as a program ends
        training.failed(error)
    finally:
        training.ended()
        training.stop()
    assert not training.problems, training.problems
    return found


def text_of(finding: Finding) -> str:
    related = [each["message"] for each in finding["related"]]
    return "\n".join([finding["message"], *finding["next"], *related])


def failing_line(program: Callable[..., object]) -> set[int]:
    """The lines of the program's file that carry the mark, within the program or else anywhere."""
    lines, first = inspect.getsourcelines(program)
    own = {number for number, line in enumerate(lines, first) if "# fails" in line}
    if own:
        return own
    module = inspect.getsourcelines(inspect.getmodule(program) or program)[0]
    return {number for number, line in enumerate(module, 1) if "# fails" in line}
