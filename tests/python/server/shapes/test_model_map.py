"""The modules of a trace, as the view Model asks for them."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.client import LanguageClient
from shape_traces import LINEAR, TEXT, net, trace, write

import tensorpeek

SERVER = Path(tensorpeek.__file__).parent / "server" / "__main__.py"
CLASS_LINE = TEXT.splitlines().index("class Net(nn.Module):") + 1


@pytest_asyncio.fixture
async def client(tmp_path: Path) -> AsyncIterator[LanguageClient]:
    """On a workspace whose folder has `net.py`, which was traced."""
    path = tmp_path / "net.py"
    path.write_text(TEXT)
    written = net(path)
    modules = [{**module, "file": str(path), "line": CLASS_LINE} for module in written["modules"]]
    write(tmp_path, {**written, "modules": modules})
    client = LanguageClient("test", "1")
    await client.start_io(sys.executable, str(SERVER))
    folders = [types.WorkspaceFolder(uri=tmp_path.as_uri(), name="project")]
    capabilities = types.ClientCapabilities()
    await client.initialize_async(types.InitializeParams(capabilities, workspace_folders=folders))
    client.initialized(types.InitializedParams())
    yield client
    await client.shutdown_async(None)
    client.exit(None)
    await client.stop()


async def asked(client: LanguageClient, uri: str) -> Any:
    return await client.protocol.send_request_async("tensorpeek/modelMap", {"uri": uri})


def opened(client: LanguageClient, path: Path, text: str) -> None:
    document = types.TextDocumentItem(uri=path.as_uri(), language_id="python", version=1, text=text)
    client.text_document_did_open(types.DidOpenTextDocumentParams(document))


async def test_the_map_is_of_the_file_or_else_the_newest(client: LanguageClient, tmp_path: Path) -> None:
    other = tmp_path / "other.py"
    newer = trace(
        other,
        "y = 1\n",
        {},
        entry="Other.forward(y)",
        time="2026-12-01T02:00:00+00:00",
        modules=[{**LINEAR, "path": "other"}],
    )
    write(tmp_path, newer, "20261201-020000-other")
    client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([]))
    assert (await asked(client, (tmp_path / "net.py").as_uri())).entry == "Net.forward(x)"
    for uri in ("", "untitled:Untitled-1", (tmp_path / "never_traced.py").as_uri()):
        assert (await asked(client, uri)).entry == "Other.forward(y)"


async def test_lines_follow_edits_and_the_change_is_told(client: LanguageClient, tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    before = await asked(client, path.as_uri())
    assert list(before.changed) == []
    opened(client, path, "# one line more\n" + TEXT)
    after = await asked(client, path.as_uri())
    assert list(after.changed) == [str(path)]
    assert after.modules[0].callLine == before.modules[0].callLine + 1
    assert after.modules[0].line == CLASS_LINE + 1


async def test_a_file_that_changed_on_disk_is_told_too(client: LanguageClient, tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    path.write_text(TEXT + "# more\n")
    assert list((await asked(client, "")).changed) == [str(path)]
    path.unlink()
    assert list((await asked(client, "")).changed) == [str(path)]


async def test_the_table_can_be_copied(client: LanguageClient) -> None:
    lines = (await asked(client, "")).table.splitlines()
    assert lines[0] == "Net.forward(x)"
    assert lines[1].split() == ["B", "=", "8", "batch"]
    assert any(line.startswith("fc (Linear)") and "650" in line for line in lines)


async def test_without_a_trace_it_is_null(client: LanguageClient, tmp_path: Path) -> None:
    (file,) = tmp_path.glob(".tensorpeek/runs/*/shapes.json")
    file.unlink()
    client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([]))
    assert await asked(client, "") is None


async def test_wrong_parameters_are_an_error(client: LanguageClient) -> None:
    with pytest.raises(JsonRpcException, match="expected uri"):
        await asked(client, 1)  # pyright: ignore[reportArgumentType]
