"""Answers the client on a Python that is too old for the adapter. Keeps to Python 3.6."""

import json
import sys
from typing import Any, BinaryIO, Dict, List, Optional

REASON = (
    "TensorPeek's debug adapter needs Python 3.9 or newer, but was started with {version} ({executable})."
)


def main(arguments: List[str]) -> int:
    """Speaks just enough DAP over stdio for the user to see the reason; returns the exit status."""
    reason = REASON.format(version=".".join(map(str, sys.version_info[:3])), executable=sys.executable)
    sys.stderr.write(reason + "\n")
    if "--port" in arguments:
        return 1
    while True:
        request = read_message(sys.stdin.buffer)
        if request is None:
            return 1
        command = request.get("command")
        response = {
            "type": "response",
            "seq": 0,
            "request_seq": request.get("seq", 0),
            "command": command,
            "success": command in ("initialize", "disconnect"),
        }
        if not response["success"]:
            response["message"] = reason
            response["body"] = {"error": {"id": 1, "format": reason, "showUser": True}}
        write_message(sys.stdout.buffer, response)
        if command == "disconnect":
            return 1


def read_message(stream: BinaryIO) -> Optional[Dict[str, Any]]:  # noqa: FA100 (3.6 has no such future)
    """The next message, or None at the end of the stream."""
    length = 0
    while True:
        line = stream.readline()
        if not line:
            return None
        if not line.strip():
            break
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            length = int(value)
    return json.loads(stream.read(length).decode("utf-8"))


def write_message(stream: BinaryIO, message: Dict[str, Any]) -> None:
    body = json.dumps(message).encode("utf-8")
    stream.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    stream.flush()
