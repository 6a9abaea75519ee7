"""Answers our own requests about a paused frame: values at the ends of lines, and the table of tensors."""

from __future__ import annotations

import logging
import tokenize
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
"""The most places asked of the probe for one frame; the latest lines win."""

DEFAULT_ROWS = 1000


async def inline_values(session: Session, request: Message) -> None:
    arguments = cast(InlineValuesArguments, request["arguments"])
    _require_probe(session)
    frame = arguments["frameId"]
    source = _source(session, frame, arguments["path"])
    lines = range(arguments["startLine"], arguments["endLine"] + 1)
    uses = [use for use in source.uses() if use.line in lines][-MOST_EXPRESSIONS:] if source else []
    expressions = list(dict.fromkeys(use.expression for use in uses))
    texts = await _texts(session, frame, expressions) if expressions else {}
    values = [_inline_value(use, texts[use.expression]) for use in uses if texts.get(use.expression)]
    result: InlineValuesResult = {"values": values}
    session.client.respond(request, {**result})


async def _texts(session: Session, frame: int, expressions: list[str]) -> dict[str, str]:
    """What the probe says of each expression; empty where there is nothing to say."""
    budget = session.values.budgets["answerBudgetMs"]
    result = await session.probe.lines({"frameId": frame, "expressions": expressions, "budgetMs": budget})
    return dict(zip(expressions, result["texts"]))


async def tensors(session: Session, request: Message) -> None:
    arguments = cast(TensorsArguments, request["arguments"])
    _require_probe(session)
    budget = session.values.budgets["answerBudgetMs"]
    asked: TensorsArguments = {"limit": DEFAULT_ROWS, "budgetMs": budget, **arguments}
    table = await session.probe.tensors(asked)
    _add_lines(session, arguments["frameId"], table)
    session.client.respond(request, {**table})


def _add_lines(session: Session, frame: int, table: TensorTable) -> None:
    """Paths are those of the client, which may see the files elsewhere than the program does."""
    table["path"] = _path_of(session, frame) or table["path"]
    source = _source(session, frame, table["path"])
    lines = source.assignment_lines() if source else {}
    for row in table["rows"]:
        row["line"] = lines.get(root_name(row["expression"]), 0)


def _require_probe(session: Session) -> None:
    if session.activation.mode != "active":
        raise ProbeFailed(session.texts("no_probe"))


def _path_of(session: Session, frame: int) -> str | None:
    source: Message = session.frames.get(frame, {}).get("source") or {}
    return source.get("path")


def _source(session: Session, frame: int, path: str) -> FrameSource | None:
    """None where the frame is not in this file, or the file is no Python that can be read."""
    frames_path = _path_of(session, frame)
    if frames_path is None or not _is_same_file(frames_path, path):
        return None
    try:
        with tokenize.open(frames_path) as file:
            return FrameSource(file.read(), session.frames[frame]["line"])
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
