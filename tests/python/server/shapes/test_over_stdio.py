"""Shapes as a client of the server gets them, started as the editor starts it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio
from lsprotocol import types
from pygls.lsp.client import LanguageClient
from shape_traces import TEXT, net, trace, write

import tensorpeek

SERVER = Path(tensorpeek.__file__).parent / "server" / "__main__.py"
ALL = types.Range(types.Position(0, 0), types.Position(100, 0))
WAIT = 30


@pytest_asyncio.fixture
async def client() -> AsyncIterator[LanguageClient]:
    client = LanguageClient("test", "1")
    await client.start_io(sys.executable, str(SERVER))
    yield client
    await client.shutdown_async(None)
    client.exit(None)
    await client.stop()


async def test_a_trace_that_comes_is_shown_and_follows_edits(client: LanguageClient, tmp_path: Path) -> None:
    refreshed: asyncio.Queue[str] = asyncio.Queue()
    asked: asyncio.Queue[str | None] = asyncio.Queue()
    registered: asyncio.Queue[types.RegistrationParams] = asyncio.Queue()
    settings = {"inlayHints": "assignments"}

    @client.feature(types.WORKSPACE_INLAY_HINT_REFRESH)
    def refresh_hints(_params: None) -> None:
        refreshed.put_nowait("hints")

    @client.feature(types.WORKSPACE_CODE_LENS_REFRESH)
    def refresh_lenses(_params: None) -> None:
        refreshed.put_nowait("lenses")

    @client.feature(types.WORKSPACE_CONFIGURATION)
    def configuration(params: types.ConfigurationParams) -> list[dict[str, str]]:
        asked.put_nowait(params.items[0].section)
        return [dict(settings)]

    @client.feature(types.CLIENT_REGISTER_CAPABILITY)
    def register(params: types.RegistrationParams) -> None:
        registered.put_nowait(params)

    workspace = types.WorkspaceClientCapabilities(
        configuration=True,
        did_change_configuration=types.DidChangeConfigurationClientCapabilities(dynamic_registration=True),
        inlay_hint=types.InlayHintWorkspaceClientCapabilities(refresh_support=True),
        code_lens=types.CodeLensWorkspaceClientCapabilities(refresh_support=True),
    )
    answer = await client.initialize_async(
        types.InitializeParams(
            capabilities=types.ClientCapabilities(workspace=workspace),
            workspace_folders=[types.WorkspaceFolder(uri=tmp_path.as_uri(), name="project")],
            initialization_options={"shapes": {"inlayHints": "off"}},
        )
    )
    assert answer.capabilities.hover_provider
    client.initialized(types.InitializedParams())
    assert await asyncio.wait_for(asked.get(), WAIT) == "tensorpeek.shapes"
    (registration,) = (await asyncio.wait_for(registered.get(), WAIT)).registrations
    assert registration.method == types.WORKSPACE_DID_CHANGE_CONFIGURATION
    assert {await asyncio.wait_for(refreshed.get(), WAIT) for _ in range(2)} == {"hints", "lenses"}

    path = tmp_path / "net.py"
    document = types.TextDocumentItem(uri=path.as_uri(), language_id="python", version=1, text=TEXT)
    client.text_document_did_open(types.DidOpenTextDocumentParams(document))
    identifier = types.TextDocumentIdentifier(path.as_uri())

    async def hints() -> list[types.InlayHint]:
        answer = await client.text_document_inlay_hint_async(types.InlayHintParams(identifier, ALL))
        return list(answer or [])

    assert await hints() == []
    write(tmp_path, net(path))
    client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([]))
    assert {await asyncio.wait_for(refreshed.get(), WAIT) for _ in range(2)} == {"hints", "lenses"}
    before = await hints()
    assert [hint.label for hint in before][-1] == "→ [B, 10]"
    tooltip = (await client.inlay_hint_resolve_async(before[-1])).tooltip
    assert isinstance(tooltip, types.MarkupContent)
    assert "650 parameters" in tooltip.value

    hover = await client.text_document_hover_async(types.HoverParams(identifier, types.Position(10, 14)))
    assert hover is not None
    lenses = await client.text_document_code_lens_async(types.CodeLensParams(identifier))
    assert "tensorpeek.traceShapes" in {lens.command.command for lens in lenses or [] if lens.command}

    where = types.Range(types.Position(14, 16), types.Position(14, 20))
    change = types.TextDocumentContentChangePartial(text="tanh", range=where)
    version = types.VersionedTextDocumentIdentifier(uri=path.as_uri(), version=2)
    client.text_document_did_change(types.DidChangeTextDocumentParams(version, [change]))
    assert 14 not in {hint.position.line for hint in await hints()}

    # An editor may not tell of a file that comes with its folder.
    newer = trace(path, TEXT, {"self.fc(z)": ["N 10"]}, time="2026-12-01T02:00:00+00:00")
    write(tmp_path, newer, "20261201-020000-net")
    assert {await asyncio.wait_for(refreshed.get(), WAIT) for _ in range(2)} == {"hints", "lenses"}
    assert [hint.label for hint in await hints()] == ["→ [N, 10]?"]

    settings["inlayHints"] = "off"
    client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
    assert {await asyncio.wait_for(refreshed.get(), WAIT) for _ in range(2)} == {"hints", "lenses"}
    assert await hints() == []
