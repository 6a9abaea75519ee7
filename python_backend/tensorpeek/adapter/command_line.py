"""Starts the adapter: `python -m tensorpeek.adapter [--port N] [--connect HOST:PORT] [--log-dir DIR]`."""

from __future__ import annotations

import argparse
import asyncio
import gc
import logging
import os
import signal
import sys
from pathlib import Path

from tensorpeek.adapter.channel import Channel
from tensorpeek.adapter.client_side import client_channel
from tensorpeek.adapter.peer_choice import PeerChoice
from tensorpeek.adapter.session import Session
from tensorpeek.adapter.streams import LOOPBACK, SocketChannel, listen_once, open_stdio

log = logging.getLogger(__name__)


def main(arguments: list[str]) -> int:
    """Serves one session and returns the exit status."""
    options = _parser().parse_args(arguments)
    _open_log(options.log_dir)
    try:
        asyncio.run(_serve(options))
    except OSError as error:
        log.error("the session could not be opened: %s", error)
        return 1
    return 0


async def _serve(options: argparse.Namespace) -> None:
    session = Session()
    choice = PeerChoice(session, options.connect, options.log_dir)
    parent = os.getppid()
    channel = client_channel(session, choice, Channel if options.port is None else SocketChannel)
    await choice.open()
    _end_by_signal(session)
    if options.port is None:
        await open_stdio(channel)
    else:
        assert isinstance(channel, SocketChannel)
        _server, port = await listen_once(channel, options.port)
        sys.stdout.write(f"listening on {LOOPBACK}:{port}\n")
        sys.stdout.flush()
        session.spawn(_end_with_parent(session, channel, parent))
    # What was made so far lives as long as the process; without it a collection takes no noticeable time.
    gc.freeze()
    await session.ended.wait()


def _end_by_signal(session: Session) -> None:
    if sys.platform != "win32":
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, session.end)


async def _end_with_parent(session: Session, channel: SocketChannel, parent: int) -> None:
    """Until a client has come nothing else tells us that the editor that started us is gone."""
    while not channel.is_connected:
        if os.getppid() != parent:
            session.end()
            return
        await asyncio.sleep(1)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tensorpeek.adapter", description="TensorPeek's debug adapter (DAP)."
    )
    parser.add_argument(
        "--port", type=int, help="listen on this loopback port instead of stdio; 0 takes a free one"
    )
    parser.add_argument(
        "--connect", type=_address, metavar="HOST:PORT", help="a debugpy adapter that listens already"
    )
    parser.add_argument("--log-dir", metavar="DIR", help="write a log there, and have debugpy write its own")
    return parser


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    return host.strip("[]") or LOOPBACK, int(port)


def _open_log(folder: str | None) -> None:
    form = "%(asctime)s %(levelname)s %(name)s: %(message)s"
    if folder is None:
        logging.basicConfig(level=logging.WARNING, format=form, stream=sys.stderr)
        return
    Path(folder).mkdir(parents=True, exist_ok=True)
    path = Path(folder) / f"tensorpeek.adapter-{os.getpid()}.log"
    logging.basicConfig(level=logging.DEBUG, format=form, filename=str(path), encoding="utf-8")
