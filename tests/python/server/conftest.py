"""A client of the server as the editor starts it."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio
from lsprotocol import types
from pygls.lsp.client import LanguageClient

import tensorpeek

SERVER = Path(tensorpeek.__file__).parent / "server" / "__main__.py"


@pytest_asyncio.fixture
async def client(tmp_path: Path) -> AsyncIterator[LanguageClient]:
    client = LanguageClient("test", "1")
    # From another folder, so that only the script path can lead to the package.
    await client.start_io(sys.executable, str(SERVER), cwd=tmp_path)
    capabilities = types.ClientCapabilities()
    await client.initialize_async(types.InitializeParams(capabilities=capabilities))
    client.initialized(types.InitializedParams())
    yield client
    await client.shutdown_async(None)
    client.exit(None)
    await client.stop()
