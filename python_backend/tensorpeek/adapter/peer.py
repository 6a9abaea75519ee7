"""The debugpy adapter that a session talks to: one that we start, or one that listens already."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Protocol

from tensorpeek.adapter.channel import Channel, Receiver
from tensorpeek.adapter.debugpy_location import BUNDLED_LIBS_VARIABLE
from tensorpeek.adapter.streams import ChildProcess, SocketChannel, connect

END_PATIENCE = 10.0
"""Seconds that debugpy gets to end the program and itself after its client is gone."""


class PeerReceiver(Receiver, Protocol):
    def retire(self) -> None:
        """From now on nothing that comes from this debugpy counts, its end included."""


class Peer:
    """debugpy's adapter and the channel to it. `package` is its folder, None when connected to."""

    def __init__(
        self,
        channel: Channel,
        receiver: PeerReceiver,
        process: ChildProcess | None = None,
        package: Path | None = None,
    ) -> None:
        self.channel = channel
        self.package = package
        self._receiver = receiver
        self._process = process

    @classmethod
    async def start(cls, package: Path, receiver: PeerReceiver, log_folder: str | None) -> Peer:
        """Runs the adapter of this debugpy package; raises OSError."""
        channel = Channel("debugpy", receiver)
        command = [sys.executable, str(package / "adapter")]
        if sys.version_info < (3, 10):
            command.insert(1, str(Path(__file__).with_name("debugpy_on_39.py")))
        if log_folder:
            command += ["--log-dir", log_folder]
        # The program inherits this environment, and what was set for us is nothing to it.
        environment = {k: v for k, v in os.environ.items() if k != BUNDLED_LIBS_VARIABLE}
        process = await ChildProcess.start(command, environment, channel)
        return cls(channel, receiver, process, package)

    @classmethod
    async def connect(cls, host: str, port: int, receiver: PeerReceiver) -> Peer:
        """Connects to an adapter that serves a program started by others; raises OSError."""
        channel = SocketChannel("debugpy", receiver)
        await connect(channel, host, port)
        return cls(channel, receiver)

    def retire(self) -> None:
        self._receiver.retire()

    async def end(self, patience: float = END_PATIENCE) -> None:
        """Closes the connection; a process of ours is gone after `patience` seconds at most."""
        if self._process is not None:
            await self._process.end(patience)
        else:
            self.channel.close()
