"""A process of a benchmark that trains one block of steps whenever it is told to."""

from __future__ import annotations

import contextlib
import json
import socket
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import TracebackType

Start = Callable[[str], AbstractContextManager[object]]
"""Starts the program, given the port of this machine that it is to connect to, and ends it."""


class Trainer:
    """Connected while the context lasts. The first `warm_up` blocks are not for measuring."""

    def __init__(self, start: Start, warm_up: int, steps: int = 1) -> None:
        self._start = start
        self._warm_up = warm_up
        self._steps = steps
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> Trainer:
        with socket.create_server(("127.0.0.1", 0)) as server:
            self._stack.enter_context(self._start(str(server.getsockname()[1])))
            server.settimeout(120)
            connection, _ = server.accept()
        self._connection = self._stack.enter_context(connection)
        self._answers = self._stack.enter_context(connection.makefile("r"))
        for _ in range(self._warm_up):
            self.block()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    def block(self) -> dict[str, float]:
        """Seconds by `wall` and `cpu` (of the training thread) for what the program says, over `steps`."""
        self._connection.sendall(b"\n")
        return {
            clock: seconds / self._steps for clock, seconds in json.loads(self._answers.readline()).items()
        }
