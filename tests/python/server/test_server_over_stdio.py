"""The server as the editor starts it: a script path, stdin and stdout."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.client import LanguageClient

import tensorpeek
from tensorpeek.server import __main__ as starter

PACKAGE = Path(tensorpeek.__file__).parent
SERVER = PACKAGE / "server" / "__main__.py"
URI = "file:///train.py"
REQUEST = "tensorpeek/evaluatableExpression"


def open_text(client: LanguageClient, text: str) -> None:
    document = types.TextDocumentItem(uri=URI, language_id="python", version=1, text=text)
    client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=document))


async def expression_at(client: LanguageClient, line: int, character: int, uri: str = URI) -> Any:
    return await client.protocol.send_request_async(
        REQUEST, {"uri": uri, "line": line, "character": character}
    )


async def test_the_answer_is_an_evaluatable_expression(client: LanguageClient) -> None:
    open_text(client, "loss = self.fc.weight\n")
    answer = await expression_at(client, 0, 17)
    assert answer._asdict() == {
        "expression": "self.fc.weight",
        "startLine": 0,
        "startCharacter": 7,
        "endLine": 0,
        "endCharacter": 21,
    }


async def test_no_expression_is_null_and_no_document_an_error(client: LanguageClient) -> None:
    open_text(client, "# loss\n")
    assert await expression_at(client, 0, 3) is None
    with pytest.raises(JsonRpcException, match="not an open document"):
        await expression_at(client, 0, 3, "file:///other.py")


async def test_a_selection_is_judged_as_a_whole(client: LanguageClient) -> None:
    open_text(client, "loss = a + f(b)\n")

    async def selected(start: int, end: int) -> Any:
        where = {"uri": URI, "line": 0, "character": start, "endLine": 0, "endCharacter": end}
        return await client.protocol.send_request_async(REQUEST, where)

    assert (await selected(7, 8)).expression == "a"
    assert await selected(7, 15) is None
    with pytest.raises(JsonRpcException, match="expected endLine"):
        await client.protocol.send_request_async(
            REQUEST, {"uri": URI, "line": 0, "character": 7, "endLine": 0}
        )


async def test_it_follows_edits(client: LanguageClient) -> None:
    open_text(client, "x\x0c = 1\ny = 2\n")
    where = types.Range(start=types.Position(1, 0), end=types.Position(1, 1))
    change = types.TextDocumentContentChangePartial(text="größe", range=where)
    version = types.VersionedTextDocumentIdentifier(uri=URI, version=2)
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(text_document=version, content_changes=[change])
    )
    assert (await expression_at(client, 1, 2)).expression == "größe"
    identifier = types.TextDocumentIdentifier(uri=URI)
    client.text_document_did_close(types.DidCloseTextDocumentParams(text_document=identifier))
    with pytest.raises(JsonRpcException, match="not an open document"):
        await expression_at(client, 1, 2)


@pytest.mark.parametrize("params", [None, {}, {"uri": URI, "line": "1", "character": 0}, {"uri": 1}])
async def test_wrong_parameters_are_an_error_and_the_server_lives_on(
    client: LanguageClient, params: Any
) -> None:
    open_text(client, "loss = 1\n")
    with pytest.raises(JsonRpcException, match="expected uri"):
        await client.protocol.send_request_async(REQUEST, params)
    assert (await expression_at(client, 0, 1)).expression == "loss"


def start_without_pygls(environment: dict[str, str]) -> "subprocess.CompletedProcess[str]":
    # -S leaves out site-packages, as in an interpreter that has nothing installed.
    command = [sys.executable, "-S", str(SERVER)]
    return subprocess.run(
        command,
        env=os.environ | environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=30,
    )


def test_an_old_python_is_told_what_is_needed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(starter, "OLDEST_PYTHON", (99, 1))
    assert starter.main() == 1
    assert "needs Python 99.1 or newer" in capsys.readouterr().err


def test_without_pygls_it_says_where_it_looked(tmp_path: Path) -> None:
    ended = start_without_pygls({"TENSORPEEK_BUNDLED_LIBS": str(tmp_path)})
    assert ended.returncode == 1
    assert "found pygls neither in" in ended.stderr
    assert str(tmp_path) in ended.stderr
    assert ended.stdout == ""


def test_pygls_is_found_in_the_bundled_libraries() -> None:
    import pygls

    libraries = Path(pygls.__file__).parents[1]
    ended = start_without_pygls({"TENSORPEEK_BUNDLED_LIBS": str(libraries)})
    # Its input is at its end at once.
    assert (ended.returncode, ended.stderr) == (0, "")
