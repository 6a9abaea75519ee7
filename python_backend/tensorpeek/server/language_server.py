"""The language server: every request and notification that it handles is registered here and nowhere else."""

from __future__ import annotations

from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer

from tensorpeek import __version__
from tensorpeek.contract.messages import EvaluatableExpression, EvaluatableExpressionParams, ServerRequest
from tensorpeek.server.documents import Documents
from tensorpeek.server.expression import Position, evaluatable_expression

EVALUATABLE_EXPRESSION: ServerRequest = "tensorpeek/evaluatableExpression"


def language_server() -> LanguageServer:
    """A server with its features, not started."""
    server = LanguageServer("tensorpeek", __version__)
    documents = Documents()

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenTextDocumentParams) -> None:
        documents.open(params.text_document.uri, params.text_document.text)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeTextDocumentParams) -> None:
        documents.change(params.text_document.uri, params.content_changes)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseTextDocumentParams) -> None:
        documents.close(params.text_document.uri)

    @server.feature(EVALUATABLE_EXPRESSION)
    def expression(params: Any) -> EvaluatableExpression | None:
        where = _checked(params)
        source = documents.get(where["uri"])
        if source is None:
            # Null would say that nothing is there to evaluate.
            raise JsonRpcInvalidParams(f"not an open document: {where['uri']}")
        return evaluatable_expression(source, where["line"], where["character"], _end_of_selection(where))

    return server


def _checked(params: Any) -> EvaluatableExpressionParams:
    """The parameters, of which pygls made an object. Raises `JsonRpcInvalidParams` for other ones."""
    uri, line, character = (getattr(params, key, None) for key in ("uri", "line", "character"))
    if not isinstance(uri, str) or not isinstance(line, int) or not isinstance(character, int):
        raise JsonRpcInvalidParams("expected uri: string, line: integer, character: integer")
    where: EvaluatableExpressionParams = {"uri": uri, "line": line, "character": character}
    end_line, end_character = (getattr(params, key, None) for key in ("endLine", "endCharacter"))
    if isinstance(end_line, int) and isinstance(end_character, int):
        where["endLine"], where["endCharacter"] = end_line, end_character
    elif end_line is not None or end_character is not None:
        raise JsonRpcInvalidParams("expected endLine: integer, endCharacter: integer, or none of them")
    return where


def _end_of_selection(where: EvaluatableExpressionParams) -> Position | None:
    if "endLine" not in where or "endCharacter" not in where:
        return None
    return where["endLine"], where["endCharacter"]
