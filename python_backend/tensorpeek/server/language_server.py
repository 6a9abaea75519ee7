"""The language server: every request and notification that it handles is registered here and nowhere else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls import uris
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer

from tensorpeek import __version__
from tensorpeek.contract.messages import (
    ConditionExplanation,
    EvaluatableExpression,
    EvaluatableExpressionParams,
    ModelMap,
    ServerRequest,
    TrainingBreakpoints,
)
from tensorpeek.server.converter import converter
from tensorpeek.server.diagnostics import Diagnostics
from tensorpeek.server.documents import Documents
from tensorpeek.server.explain_condition import explain_condition
from tensorpeek.server.expression import Position, evaluatable_expression
from tensorpeek.server.findings import FINDINGS_FILES, RUN_FOLDERS, Findings
from tensorpeek.server.run_watch import RunWatch
from tensorpeek.server.shapes.feature import Shapes
from tensorpeek.server.shapes.later import Later
from tensorpeek.server.shapes.settings import SECTION, settings
from tensorpeek.server.shapes.store import SHAPES_FILES
from tensorpeek.server.source import Source
from tensorpeek.server.training_breakpoints import is_worth_watching, training_breakpoints

EVALUATABLE_EXPRESSION: ServerRequest = "tensorpeek/evaluatableExpression"
TRAINING_BREAKPOINTS: ServerRequest = "tensorpeek/trainingBreakpoints"
EXPLAIN_CONDITION: ServerRequest = "tensorpeek/explainCondition"
MODEL_MAP: ServerRequest = "tensorpeek/modelMap"

ADD_TRAINING_BREAKPOINT = "tensorpeek.addTrainingBreakpoint"
"""The editor's command, called with a URI and a 0-based line."""


def language_server() -> LanguageServer:
    """A server with its features, not started."""
    server = LanguageServer("tensorpeek", __version__, converter_factory=converter)
    documents = Documents()
    diagnostics = Diagnostics(server.text_document_publish_diagnostics)
    findings = Findings(documents, diagnostics.of("findings"))
    shapes = Shapes(documents, diagnostics.of("shapes"))
    shapes_changed = Later(shapes.changed)

    def read_runs() -> None:
        findings.read(_workspace_folders(server))
        shapes.read(_workspace_folders(server))
        _refresh(server)

    run_watch = RunWatch(lambda: _workspace_folders(server), read_runs)

    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        shapes.settings = settings(params.initialization_options)

    @server.feature(types.INITIALIZED)
    async def initialized(_params: types.InitializedParams) -> None:
        run_watch.begin()
        findings.read(_workspace_folders(server))
        shapes.read(_workspace_folders(server))
        wanted = _registrations(server)
        if wanted:
            server.client_register_capability(types.RegistrationParams(wanted))
        await ask_settings()

    async def ask_settings() -> None:
        workspace = server.client_capabilities.workspace
        if workspace is None or not workspace.configuration:
            return
        asked = types.ConfigurationParams([types.ConfigurationItem(section=SECTION)])
        answers = await server.workspace_configuration_async(asked)
        before, shapes.settings = shapes.settings, settings(next(iter(answers), None))
        if shapes.settings != before:
            _refresh(server)

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def did_change_configuration(_params: types.DidChangeConfigurationParams) -> None:
        await ask_settings()

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def did_change_watched_files(_params: types.DidChangeWatchedFilesParams) -> None:
        run_watch.look()

    @server.feature(types.SHUTDOWN)
    def shutdown(_params: None) -> None:
        run_watch.end()

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenTextDocumentParams) -> None:
        documents.open(params.text_document.uri, params.text_document.text)
        findings.opened(params.text_document.uri)
        shapes.changed(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeTextDocumentParams) -> None:
        documents.change(params.text_document.uri, params.content_changes)
        findings.changed(params.text_document.uri, params.content_changes)
        shapes_changed(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseTextDocumentParams) -> None:
        documents.close(params.text_document.uri)
        shapes.changed(params.text_document.uri)

    @server.feature(EVALUATABLE_EXPRESSION)
    def expression(params: Any) -> EvaluatableExpression | None:
        where = _checked(params)
        source = documents.get(where["uri"])
        if source is None:
            # Null would say that nothing is there to evaluate.
            raise JsonRpcInvalidParams(f"not an open document: {where['uri']}")
        return evaluatable_expression(source, where["line"], where["character"], _end_of_selection(where))

    @server.feature(TRAINING_BREAKPOINTS)
    def breakpoints(params: Any) -> TrainingBreakpoints | None:
        uri, line = _place(params)
        return training_breakpoints(documents.get(uri) or _read(uri), line)

    @server.feature(EXPLAIN_CONDITION)
    def explain(params: Any) -> ConditionExplanation:
        uri, line = _place(params)
        text = getattr(params, "text", None)
        if not isinstance(text, str):
            raise JsonRpcInvalidParams("expected text: string")
        return explain_condition(text, documents.get(uri) or _read(uri), line)

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION)
    def code_actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        uri, line = params.text_document.uri, params.range.start.line
        source = documents.get(uri)
        if source is None or not is_worth_watching(source, line):
            return []
        command = types.Command("Add Training Breakpoint…", ADD_TRAINING_BREAKPOINT, arguments=[uri, line])
        return [types.CodeAction(command.title, kind=types.CodeActionKind.Refactor, command=command)]

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT, types.InlayHintOptions(resolve_provider=True))
    def inlay_hints(params: types.InlayHintParams) -> list[types.InlayHint]:
        return shapes.inlay_hints(params.text_document.uri, params.range)

    @server.feature(types.INLAY_HINT_RESOLVE)
    def inlay_hint_resolve(hint: types.InlayHint) -> types.InlayHint:
        return shapes.resolved(hint)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(params: types.HoverParams) -> types.Hover | None:
        return shapes.hover(params.text_document.uri, params.position)

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    def code_lenses(params: types.CodeLensParams) -> list[types.CodeLens]:
        return shapes.lenses(params.text_document.uri)

    @server.feature(MODEL_MAP)
    def model_map(params: Any) -> ModelMap | None:
        uri = getattr(params, "uri", None)
        if not isinstance(uri, str):
            raise JsonRpcInvalidParams("expected uri: string")
        return shapes.model_map(uri)

    return server


def _refresh(server: LanguageServer) -> None:
    """Asks the editor to ask again, where it can be asked to."""
    workspace = server.client_capabilities.workspace
    if workspace is not None and workspace.inlay_hint and workspace.inlay_hint.refresh_support:
        server.workspace_inlay_hint_refresh(None)
    if workspace is not None and workspace.code_lens and workspace.code_lens.refresh_support:
        server.workspace_code_lens_refresh(None)


def _read(uri: str) -> Source:
    """The text on disk of a file that is not open, as a breakpoint may be in; empty where there is none."""
    path = uris.to_fs_path(uri)
    try:
        return Source(Path(path).read_text("utf-8") if path else "")
    except (OSError, ValueError):
        return Source("")


def _place(params: Any) -> tuple[str, int]:
    uri, line = getattr(params, "uri", None), getattr(params, "line", None)
    if not isinstance(uri, str) or not isinstance(line, int):
        raise JsonRpcInvalidParams("expected uri: string, line: integer")
    return uri, line


_WATCH_FINDINGS = types.Registration(
    id="findings",
    method=types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
    register_options=types.DidChangeWatchedFilesRegistrationOptions(
        [types.FileSystemWatcher(pattern) for pattern in (FINDINGS_FILES, *RUN_FOLDERS)]
    ),
)

_WATCH_SHAPES = types.Registration(
    id="shapes",
    method=types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
    register_options=types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher(SHAPES_FILES)]),
)


_SETTINGS_CHANGES = types.Registration(
    id="settings",
    method=types.WORKSPACE_DID_CHANGE_CONFIGURATION,
    register_options=types.DidChangeConfigurationRegistrationOptions(section=SECTION),
)


def _workspace_folders(server: LanguageServer) -> list[Path]:
    paths = (uris.to_fs_path(folder.uri) for folder in server.workspace.folders.values())
    return [Path(path) for path in paths if path]


def _registrations(server: LanguageServer) -> list[types.Registration]:
    """What the client is to tell of, where it can be asked to."""
    workspace = server.client_capabilities.workspace
    watching = workspace.did_change_watched_files if workspace else None
    settings_changes = workspace.did_change_configuration if workspace else None
    wanted: list[types.Registration] = []
    if watching is not None and watching.dynamic_registration:
        wanted += [_WATCH_FINDINGS, _WATCH_SHAPES]
    if settings_changes is not None and settings_changes.dynamic_registration:
        wanted.append(_SETTINGS_CHANGES)
    return wanted


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
