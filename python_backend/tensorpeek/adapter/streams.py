"""Connects channels to pipes, sockets and child processes."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import sys
import threading
from typing import Any, Callable, cast

from tensorpeek.adapter.channel import Channel

log = logging.getLogger(__name__)

LOOPBACK = "127.0.0.1"


class SocketChannel(Channel):
    """A channel over TCP, without the 40 ms that a delayed acknowledgement costs."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


class _WritingEnd(asyncio.BaseProtocol):
    """The protocol of a pipe that is only written to: it tells its channel about congestion and the end."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    def pause_writing(self) -> None:
        self._channel.pause_writing()

    def resume_writing(self) -> None:
        self._channel.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        self._channel.connection_lost(exc)


async def open_stdio(channel: Channel) -> None:
    """Connects the channel to stdin and stdout, which from now on belong to the protocol alone."""
    reading, writing = os.dup(0), os.dup(1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)  # a stray print must not fall between two messages
    if sys.platform == "win32":
        _open_stdio_threaded(channel, reading, writing)
        return
    loop = asyncio.get_running_loop()
    writer, _ = await loop.connect_write_pipe(lambda: _WritingEnd(channel), os.fdopen(writing, "wb", 0))
    channel.write_to(writer)
    await loop.connect_read_pipe(lambda: channel, os.fdopen(reading, "rb", 0))


def _open_stdio_threaded(channel: Channel, reading: int, writing: int) -> None:
    """Windows' event loop can't wait for the anonymous pipes that editors pass, so a thread reads them."""
    loop = asyncio.get_running_loop()

    def read() -> None:
        while True:
            data = os.read(reading, 1 << 16)
            if not data:
                loop.call_soon_threadsafe(channel.connection_lost, None)
                return
            loop.call_soon_threadsafe(channel.data_received, data)

    channel.write_to(BlockingPipe(writing, lambda error: loop.call_soon(channel.connection_lost, error)))
    threading.Thread(target=read, name="stdin", daemon=True).start()


class BlockingPipe:
    """The writing end of a pipe; `when_lost` hears of it when nobody reads any more."""

    def __init__(self, descriptor: int, when_lost: Callable[[OSError], object]) -> None:
        self._file = os.fdopen(descriptor, "wb")
        self._when_lost = when_lost

    def write(self, data: bytes) -> None:
        try:
            self._file.write(data)
            self._file.flush()
        except OSError as error:
            self.close()
            self._when_lost(error)

    def close(self) -> None:
        try:
            self._file.close()
        except OSError as error:  # what is left in its buffer has no reader
            log.info("%s", error)

    def is_closing(self) -> bool:
        return self._file.closed


async def listen_once(channel: SocketChannel, port: int) -> tuple[asyncio.AbstractServer, int]:
    """Listens on loopback for the one client of this session; returns the server and the port taken."""
    taken = False

    def accept() -> asyncio.BaseProtocol:
        nonlocal taken
        if taken:
            return _Rejected()
        taken = True
        return channel

    server = await asyncio.get_running_loop().create_server(accept, LOOPBACK, port)
    return server, cast(int, server.sockets[0].getsockname()[1])


class _Rejected(asyncio.Protocol):
    """A second client: there is one session per adapter."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        cast(asyncio.Transport, transport).abort()


async def connect(channel: SocketChannel, host: str, port: int, timeout: float = 10) -> None:
    """Raises OSError, also when nobody answers in time (in seconds)."""
    opening = asyncio.get_running_loop().create_connection(lambda: channel, host, port)
    try:
        await asyncio.wait_for(opening, timeout)
    except asyncio.TimeoutError:
        raise OSError(f"no answer within {timeout:.0f} s") from None


class ChildProcess(asyncio.SubprocessProtocol):
    """A process that speaks DAP over its stdio. Ended by closing its stdin, or else by force."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._exited = asyncio.Event()
        self._transport: asyncio.SubprocessTransport | None = None

    @property
    def pid(self) -> int:
        assert self._transport is not None
        return self._transport.get_pid()

    @classmethod
    async def start(cls, command: list[str], environment: dict[str, str], channel: Channel) -> ChildProcess:
        """Raises OSError when the program can't be started."""
        create = cast(Callable[..., Any], asyncio.get_running_loop().subprocess_exec)
        _, process = await create(lambda: cls(channel), *command, env=environment)
        return cast(ChildProcess, process)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.SubprocessTransport, transport)
        output = cast(asyncio.ReadTransport, self._transport.get_pipe_transport(1))
        output.set_protocol(self._channel)  # straight to the channel: by way of us costs a turn of the loop
        self._channel.connection_made(output)
        self._channel.write_to(cast(asyncio.WriteTransport, self._transport.get_pipe_transport(0)))

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        log.warning("debugpy: %s", data.decode(errors="replace").rstrip())  # stderr

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if fd == 0:
            self._channel.connection_lost(exc)

    def pause_writing(self) -> None:
        self._channel.pause_writing()

    def resume_writing(self) -> None:
        self._channel.resume_writing()

    def process_exited(self) -> None:
        self._exited.set()

    async def end(self, patience: float) -> None:
        """Closes stdin, waits for `patience` seconds, then kills."""
        assert self._transport is not None
        self._channel.close()
        for force in (None, self._transport.terminate, self._transport.kill):
            if force is not None and not self._exited.is_set():
                log.warning("process %s does not end by itself", self.pid)
                force()
            try:
                await asyncio.wait_for(self._exited.wait(), patience if force is None else 1)
                break
            except asyncio.TimeoutError:
                continue
        self._transport.close()
