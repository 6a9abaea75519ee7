"""The language server as an editor starts it, asked over stdio by a client that does nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import tensorpeek

SERVER = Path(tensorpeek.__file__).parent / "server" / "__main__.py"


class LspClient:
    """Sends, and waits for the answer; what the server says by itself is passed over."""

    def __init__(self, folder: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(SERVER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._number = 0
        folders = [{"uri": folder.as_uri(), "name": folder.name}]
        self.ask("initialize", {"processId": None, "capabilities": {}, "workspaceFolders": folders})
        self.tell("initialized", {})

    def tell(self, method: str, params: Any) -> None:
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def ask(self, method: str, params: Any) -> Any:
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        while True:
            message = self._receive()
            if message.get("id") == self._number and "method" not in message:
                return message["result"]

    def cpu_seconds(self) -> float:
        """What the server has spent so far, all threads together, as Linux counts it."""
        tasks = Path(f"/proc/{self._process.pid}/task").iterdir()
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9

    def close(self) -> None:
        self.ask("shutdown", None)
        self.tell("exit", None)
        self._process.wait(10)

    def _send(self, message: Any) -> None:
        body = json.dumps(message).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._process.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        stdout = self._process.stdout
        assert stdout is not None
        length = 0
        while (line := stdout.readline().strip()) != b"":
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        return json.loads(stdout.read(length))
