"""Answers our own requests about a paused frame: values at the ends of lines, and the table of tensors."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import cast

from tensorpeek.adapter.framing import Message
from tensorpeek.adapter.probe_link import ProbeFailed
from tensorpeek.adapter.session import Session
from tensorpeek.adapter.source_names import FrameSource, NameUse, root_name
from tensorpeek.contract.messages import (
    InlineValue,
    InlineValuesArguments,
    InlineValuesResult,
    TensorsArguments,
    TensorTable,
)

log = logging.getLogger(__name__)

MOST_EXPRESSIONS = 300
"""The most expressions asked of the probe for one frame; the latest lines win."""

DEFAULT_ROWS = 1000


class FrameValues:
    """Each answer is worked out once per stop."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._inline: dict[tuple[int, str], list[InlineValue]] = {}
        session.on_resume = self.forget

    def forget(self) -> None:
        """Values have changed, or the program runs on."""
        self._inline.clear()

    async def inline_values(self, request: Message) -> None:
        arguments = cast(InlineValuesArguments, request["arguments"])
        self._require_probe()
        key = arguments["frameId"], arguments["path"]
        values = self._inline.get(key)
        if values is None:
            values = self._inline[key] = await self._all_inline_values(*key)
        shown = [v for v in values if arguments["startLine"] <= v["line"] <= arguments["endLine"]]
        result: InlineValuesResult = {"values": shown}
        self._session.client.respond(request, {**result})

    async def _all_inline_values(self, frame: int, path: str) -> list[InlineValue]:
        source = self._source(frame, path)
        uses = source.uses()[-MOST_EXPRESSIONS:] if source else []
        if not uses:
            return []
        expressions = list(dict.fromkeys(use.expression for use in uses))
        budget = self._session.values.budgets["answerBudgetMs"]
        result = await self._session.probe.lines(
            {"frameId": frame, "expressions": expressions, "budgetMs": budget}
        )
        texts = dict(zip(expressions, result["texts"]))
        return [_inline_value(use, texts[use.expression]) for use in uses if texts.get(use.expression)]

    async def tensors(self, request: Message) -> None:
        arguments = cast(TensorsArguments, request["arguments"])
        self._require_probe()
        budget = self._session.values.budgets["answerBudgetMs"]
        asked: TensorsArguments = {"limit": DEFAULT_ROWS, "budgetMs": budget, **arguments}
        table = await self._session.probe.tensors(asked)
        self._add_lines(arguments["frameId"], table)
        self._session.client.respond(request, {**table})

    def _add_lines(self, frame: int, table: TensorTable) -> None:
        """Paths are those of the client, which may see the files elsewhere than the program does."""
        table["path"] = self._path_of(frame) or table["path"]
        source = self._source(frame, table["path"])
        lines = source.assignment_lines() if source else {}
        for row in table["rows"]:
            row["line"] = lines.get(root_name(row["expression"]), 0)

    def _require_probe(self) -> None:
        if self._session.activation.mode != "active":
            raise ProbeFailed(self._session.texts("no_probe"))

    def _path_of(self, frame: int) -> str | None:
        source: Message = self._session.frames.get(frame, {}).get("source") or {}
        return source.get("path")

    def _source(self, frame: int, path: str) -> FrameSource | None:
        """None where the frame is not in this file, or the file is no Python that can be read."""
        frames_path = self._path_of(frame)
        if frames_path is None or not _is_same_file(frames_path, path):
            return None
        try:
            text = Path(frames_path).read_text(encoding="utf-8", errors="replace")
            return FrameSource(text, self._session.frames[frame]["line"])
        except (OSError, SyntaxError, ValueError, RecursionError) as error:
            log.info("%s gives no inline values: %s", frames_path, error)
            return None


def _inline_value(use: NameUse, text: str) -> InlineValue:
    return {
        "line": use.line,
        "startColumn": use.start_column,
        "endColumn": use.end_column,
        "text": f"{use.expression} {text}",
    }


def _is_same_file(one: str, other: str) -> bool:
    try:
        return one == other or Path(one).samefile(other)
    except OSError:
        return False
