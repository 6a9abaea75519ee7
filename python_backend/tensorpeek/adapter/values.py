"""Turns the values in debugpy's answers into what the client shows: text, colour, menu, lazy, references."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable
from typing import Any, NamedTuple, Optional, Union, cast

from tensorpeek.adapter.channel import Channel
from tensorpeek.adapter.framing import Message
from tensorpeek.adapter.probe_link import ProbeFailed, ProbeLink
from tensorpeek.adapter.references import Path, References, UnfinishedValue
from tensorpeek.adapter.refinement import Refinements
from tensorpeek.adapter.styling import styled
from tensorpeek.contract.envelope import ENVELOPE_START, unwrap
from tensorpeek.contract.messages import ConfigureArguments, Presentation

log = logging.getLogger(__name__)

TENSOR_MENU = "tensor"
"""The value of `__vscodeVariableMenuContext` that our menu entries ask for."""

SENDING = 0.3
"""How long it takes to send the second pass, as a share of the first, which sent as much and more."""
LEAST_BUDGET_MS = 2.0
"""Even after a slow first pass something is tried."""

Body = Union[Message, Awaitable[Message]]
"""A body that is ready, or one that waits for the probe."""

Item = tuple[Message, Optional[Presentation]]
"""A variable as debugpy gave it, and what the probe says of it."""


class Asked(NamedTuple):
    """When a request came."""

    at: float
    """`time.monotonic()` seconds."""
    pause: int
    """An answer that comes in a later pause must not say where its values are: they are gone."""


class Values:
    """The presentation of values in one session."""

    def __init__(self, probe: ProbeLink, references: References, refinements: Refinements) -> None:
        self._probe = probe
        self._references = references
        self._refinements = refinements
        self.budgets: ConfigureArguments = {"valueBudgetMs": 20.0, "answerBudgetMs": 60.0}
        self.colours = False

    def asked_now(self) -> Asked:
        return Asked(time.monotonic(), self._references.pause)

    # The answers, each from debugpy's body

    def scopes(self, frame: int, asked: Asked, body: Message) -> Message:
        if asked.pause != self._references.pause:
            return body

        def own(scope: Message) -> Message:
            path = ("scope", frame, scope["name"])
            return {**scope, "variablesReference": self._references.own(path, scope["variablesReference"])}

        return {**body, "scopes": [own(scope) for scope in body["scopes"]]}

    def variables(self, parent: int, asked: Asked, body: Message) -> Body:
        """`parent` is our reference."""
        items = [_item(variable) for variable in body["variables"]]
        if any(presentation and presentation.get("pending") for _, presentation in items):
            return self._summarized_variables(parent, asked, items)
        return self._variables_body(parent, asked, items)

    def evaluated(self, frame: int, expression: str, context: str, asked: Asked, body: Message) -> Body:
        rest = {key: value for key, value in body.items() if key != "result"}
        variable = {"name": expression, "evaluateName": expression, "value": body["result"], **rest}
        # Only a watch is asked for again at each stop. Elsewhere, as in the console, the same text may be
        # another value each time, and nothing shows an eye to click.
        is_watch = context == "watch"
        path = ("value", frame, expression) if is_watch else None
        return self._one_value(_item(variable), path, "result", asked, lazy=is_watch)

    def assigned(self, path: Path, name: str, asked: Asked, body: Message) -> Body:
        """The answers of setVariable and setExpression."""
        return self._one_value(_item({**body, "name": name}), path, "value", asked, lazy=False)

    async def exact(self, request_seq: int, value: UnfinishedValue, client: Channel | None) -> Message:
        """The one variable that replaces an unfinished one; still unfinished when cancelled."""
        presentation = await self._refinements.run(request_seq, value, client)
        variable = self._dressed((value.entry, presentation), value.path, value.pause, lazy=True)
        return {"variables": [variable]}

    # The second pass: what is pending gets the rest of the budget

    async def _summarized_variables(self, parent: int, asked: Asked, items: list[Item]) -> Message:
        budget = self.budgets["answerBudgetMs"]
        return self._variables_body(parent, asked, await self._summarized(items, budget, asked))

    async def _summarized(self, items: list[Item], budget_ms: float, asked: Asked) -> list[Item]:
        waiting = [
            index
            for index, (variable, presentation) in enumerate(items)
            if presentation and presentation.get("pending") and variable.get("variablesReference")
        ]
        spent_ms = (time.monotonic() - asked.at) * 1000
        try:
            result = await self._probe.summarize(
                {
                    "references": [items[index][0]["variablesReference"] for index in waiting],
                    "budgetMs": max(LEAST_BUDGET_MS, budget_ms - spent_ms * (1 + SENDING)),
                }
            )
        except ProbeFailed as failure:
            log.warning("values stay unfinished: %s", failure)
            return items
        summarized = list(items)
        for index, presentation in zip(waiting, result["presentations"]):
            summarized[index] = (items[index][0], presentation)
        return summarized

    # Dressing

    def _variables_body(self, parent: int, asked: Asked, items: list[Item]) -> Message:
        taken: set[Path] = set()
        variables: list[Message] = []
        for item in items:
            variable, presentation = item
            if presentation is None and not variable.get("variablesReference"):
                variables.append(variable)
                continue
            path: Path = (parent, variable["name"])
            while path in taken:  # two children may have one name
                path = (*path, "again")
            taken.add(path)
            variables.append(self._dressed(item, path, asked.pause, lazy=True))
        return {"variables": variables}

    def _one_value(self, item: Item, path: Path | None, field: str, asked: Asked, *, lazy: bool) -> Body:
        presentation = item[1]
        if presentation is not None and presentation.get("pending"):
            return self._summarized_value(item, path, field, asked, lazy)
        return _one_body(self._dressed(item, path, asked.pause, lazy=lazy), field)

    async def _summarized_value(
        self, item: Item, path: Path | None, field: str, asked: Asked, lazy: bool
    ) -> Message:
        items = await self._summarized([item], self.budgets["valueBudgetMs"], asked)
        return _one_body(self._dressed(items[0], path, asked.pause, lazy=lazy), field)

    def _dressed(self, item: Item, path: Path | None, pause: int, *, lazy: bool) -> Message:
        """A variable as the client gets it; `lazy` is whether this place can show an eye to click.

        Without a path, or when its pause is over, it keeps debugpy's own reference.
        """
        entry, presentation = item
        if pause != self._references.pause:
            path = None
        dressed = dict(entry)
        reference = cast(int, entry.get("variablesReference") or 0)
        if reference and path is not None:
            dressed["variablesReference"] = self._references.own(path, reference)
        if presentation is None:
            return dressed
        dressed["value"] = styled(presentation) if self.colours else presentation["text"]
        if presentation["kind"] == "tensor":
            dressed["__vscodeVariableMenuContext"] = TENSOR_MENU
        if lazy and reference and path is not None and _is_unfinished(presentation):
            unfinished = UnfinishedValue(entry, presentation, path, pause)
            dressed["variablesReference"] = self._references.own_unfinished(unfinished)
            dressed["presentationHint"] = {**(entry.get("presentationHint") or {}), "lazy": True}
        return dressed


def without_envelopes(body: Message) -> Message:
    """The body with the bare texts, for when everything above has failed. Never raises."""
    bare = dict(body)
    for field in ("value", "result"):
        if isinstance(bare.get(field), str):
            presentation = unwrap(bare[field])
            bare[field] = presentation["text"] if presentation else bare[field]
    variables: Any = bare.get("variables")
    if isinstance(variables, list):
        bare["variables"] = [
            without_envelopes(cast(Message, variable)) if isinstance(variable, dict) else variable
            for variable in cast("list[object]", variables)
        ]
    return bare


def _item(variable: Message) -> Item:
    text: str = variable["value"]
    return variable, (unwrap(text) if text.startswith(ENVELOPE_START) else None)


def _is_unfinished(presentation: Presentation) -> bool:
    return bool(presentation.get("pending") or presentation.get("partial") or presentation.get("lazy"))


def _one_body(variable: Message, field: str) -> Message:
    """The body of an answer about one value: it has no name, and its text goes by the name of `field`."""
    body = {key: value for key, value in variable.items() if key not in ("name", "evaluateName", "value")}
    body[field] = variable["value"]
    return body
