"""Findings of the newest run as diagnostics that go when their line is edited."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types
from pygls import uris
from pygls.lsp.client import LanguageClient

import tensorpeek
from tensorpeek.server.documents import Documents
from tensorpeek.server.findings import Findings, moved

SERVER = Path(tensorpeek.__file__).parent / "server" / "__main__.py"
TEXT = "import torch\n\nloss = model(x)\nloss.backward()\n"


def finding(path: Path, line: int, text: str, **more: Any) -> dict[str, Any]:
    return {
        "number": 1,
        "condition": "loss-spike",
        "title": "Loss spike",
        "message": "The loss is 40, usual is 2.",
        "path": str(path),
        "line": line,
        "lineText": text,
        "module": "",
        "step": 31,
        "epoch": 0,
        "rank": 0,
        "time": "2026-11-30T03:15:00+00:00",
        "value": 40.0,
        "threshold": 8.0,
        "history": [2.0, 40.0],
        "evidence": [],
        "next": ["Look at the batch."],
        "related": [],
        "stopped": True,
        **more,
    }


def write(folder: Path, *findings: dict[str, Any], run: str = "20261130-031500-train") -> None:
    where = folder / ".tensorpeek" / "runs" / run
    where.mkdir(parents=True, exist_ok=True)
    (where / "findings.jsonl").write_text("".join(json.dumps(each) + "\n" for each in findings))


class Shown(dict[str, list[types.Diagnostic]]):
    """The diagnostics of each file as last published."""

    def publish(self, params: types.PublishDiagnosticsParams) -> None:
        self[uris.to_fs_path(params.uri) or ""] = list(params.diagnostics)


@pytest.fixture
def train(tmp_path: Path) -> Path:
    file = tmp_path / "träin.py"
    file.write_text(TEXT, encoding="utf-8")
    return file


def test_a_finding_stands_on_its_line(tmp_path: Path, train: Path) -> None:
    other = {"path": str(train), "line": 3, "message": "The batch came from here."}
    write(tmp_path, finding(train, 4, "loss.backward()", related=[other]))
    shown = Shown()
    Findings(Documents(), shown.publish).read([tmp_path])
    [diagnostic] = shown[str(train)]
    assert (diagnostic.range.start.line, diagnostic.range.end.character) == (3, 15)
    assert diagnostic.code == "loss-spike"
    assert "step 31" in diagnostic.message
    assert "Look at the batch." in diagnostic.message
    assert diagnostic.related_information
    assert diagnostic.related_information[0].location.range.start.line == 2


def test_only_the_newest_run_counts_and_repeated_findings_are_one(tmp_path: Path, train: Path) -> None:
    write(tmp_path, finding(train, 3, "loss = model(x)"))
    again = [finding(train, 4, "loss.backward()", number=number, step=number) for number in (1, 2, 3)]
    write(tmp_path, *again, run="20261130-041500-train")
    shown = Shown()
    Findings(Documents(), shown.publish).read([tmp_path])
    [diagnostic] = shown[str(train)]
    assert diagnostic.range.start.line == 3
    assert "step 3 (3 times)" in diagnostic.message


def test_a_line_that_was_edited_since_has_none(tmp_path: Path, train: Path) -> None:
    write(tmp_path, finding(train, 3, "loss = model(y)"), finding(train, 99, "loss.backward()"))
    write(tmp_path / "elsewhere", finding(tmp_path / "gone.py", 1, "x"))
    shown = Shown()
    Findings(Documents(), shown.publish).read([tmp_path, tmp_path / "elsewhere"])
    assert not any(shown.values())


def position(line: int, character: int) -> types.Position:
    return types.Position(line, character)


def test_it_moves_with_its_line_and_goes_when_that_is_edited(tmp_path: Path, train: Path) -> None:
    write(tmp_path, finding(train, 4, "loss.backward()"))
    documents, shown = Documents(), Shown()
    findings = Findings(documents, shown.publish)
    uri = uris.from_fs_path(str(train)) or ""
    documents.open(uri, TEXT)
    findings.read([tmp_path])

    def edit(start: types.Position, end: types.Position, text: str) -> list[int]:
        change = types.TextDocumentContentChangePartial(text=text, range=types.Range(start, end))
        documents.change(uri, [change])
        findings.changed(uri, [change])
        return [diagnostic.range.start.line for diagnostic in shown[str(train)]]

    assert edit(position(1, 0), position(1, 0), "import numpy\n\n") == [5]
    assert edit(position(4, 15), position(4, 15), "\nprint(loss)") == [6]
    assert edit(position(6, 0), position(6, 0), "# why\n") == [7]
    assert edit(position(7, 15), position(7, 15), "\n") == [7]
    assert edit(position(7, 4), position(7, 5), "!") == []


@given(
    lines=st.lists(st.text("ab", max_size=3), min_size=2, max_size=8),
    inserted=st.text("c\n", max_size=6),
    data=st.data(),
)
def test_a_line_that_a_change_leaves_alone_is_found_again(
    lines: list[str], inserted: str, data: st.DataObject
) -> None:
    watched = data.draw(st.integers(0, len(lines) - 1))
    others = [line for line in range(len(lines)) if line != watched]
    start = data.draw(st.sampled_from(others))
    end = data.draw(st.sampled_from([line for line in others if line >= start]))
    if start < watched < end:
        return
    documents = Documents()
    documents.open(
        "file:///a.py", "\n".join(line if at != watched else "HERE" for at, line in enumerate(lines))
    )
    first, last = (data.draw(st.integers(0, len(lines[line]))) for line in (start, end))
    where = types.Range(position(start, first), position(end, max(first, last) if start == end else last))
    documents.change("file:///a.py", [types.TextDocumentContentChangePartial(text=inserted, range=where)])
    source = documents.get("file:///a.py")
    assert source is not None
    assert source.line_text(moved(watched, where, inserted)) == "HERE"


@pytest_asyncio.fixture
async def client(tmp_path: Path) -> AsyncIterator[LanguageClient]:
    client = LanguageClient("test", "1")
    await client.start_io(sys.executable, str(SERVER))
    yield client
    await client.shutdown_async(None)
    client.exit(None)
    await client.stop()


async def test_the_server_says_them_and_watches_for_more(
    client: LanguageClient, tmp_path: Path, train: Path
) -> None:
    shown: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()
    watched: asyncio.Queue[types.RegistrationParams] = asyncio.Queue()

    @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    def publish(params: types.PublishDiagnosticsParams) -> None:
        shown.put_nowait(params)

    @client.feature(types.CLIENT_REGISTER_CAPABILITY)
    def register(params: types.RegistrationParams) -> None:
        watched.put_nowait(params)

    write(tmp_path, finding(train, 4, "loss.backward()"))
    watching = types.DidChangeWatchedFilesClientCapabilities(dynamic_registration=True)
    workspace = types.WorkspaceClientCapabilities(did_change_watched_files=watching)
    folder = types.WorkspaceFolder(uri=tmp_path.as_uri(), name="project")
    await client.initialize_async(
        types.InitializeParams(
            capabilities=types.ClientCapabilities(workspace=workspace), workspace_folders=[folder]
        )
    )
    client.initialized(types.InitializedParams())
    assert len((await asyncio.wait_for(shown.get(), 30)).diagnostics) == 1
    assert (await asyncio.wait_for(watched.get(), 30)).registrations[0].id == "findings"
    write(tmp_path)
    client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(changes=[]))
    assert not (await asyncio.wait_for(shown.get(), 30)).diagnostics
