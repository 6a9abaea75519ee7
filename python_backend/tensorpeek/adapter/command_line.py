"""Starts the adapter: `python -m tensorpeek.adapter [--port N] [--connect HOST:PORT] [--log-dir DIR]`.

With `--port` it wants a token in TENSORPEEK_ACCESS_TOKEN, or the word `--no-token`.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import logging
import math
import os
import signal
import sys
import time
from pathlib import Path

from tensorpeek.adapter.access import TOKEN_VARIABLE, Access, take_token
from tensorpeek.adapter.channel import Channel
from tensorpeek.adapter.client_side import client_channel
from tensorpeek.adapter.peer_choice import PeerChoice
from tensorpeek.adapter.session import Session
from tensorpeek.adapter.streams import LOOPBACK, SocketChannel, listen_once, open_stdio

log = logging.getLogger(__name__)

CLIENT_PATIENCE = 60.0
"""Seconds that the editor which gave us a token gets to connect; it may have given up the session."""


def main(arguments: list[str]) -> int:
    """Serves one session and returns the exit status."""
    parser = _parser()
    options, token = parser.parse_args(arguments), take_token()
    if options.port is None or options.no_token:
        token = ""
    elif not token:
        parser.error(f"--port needs a token in {TOKEN_VARIABLE}, or --no-token to serve whoever comes first")
    _open_log(options.log_dir)
    try:
        asyncio.run(_serve(options, token))
    except OSError as error:
        log.error("the session could not be opened: %s", error)
        return 1
    return 0


async def _serve(options: argparse.Namespace, token: str) -> None:
    session, parent = Session(), os.getppid()
    choice = PeerChoice(session, options.connect, options.log_dir)
    kind = Channel if options.port is None else SocketChannel
    channel = client_channel(session, choice, Access(token), kind)
    await choice.open()
    _end_by_signal(session)
    if options.port is None:
        await open_stdio(channel)
    else:
        assert isinstance(channel, SocketChannel)
        _server, port = await listen_once(channel, options.port)
        sys.stdout.write(f"listening on {LOOPBACK}:{port}\n")
        sys.stdout.flush()
        session.spawn(_end_unvisited(session, channel, parent, CLIENT_PATIENCE if token else math.inf))
    # What was made so far lives as long as the process; without it a collection takes no noticeable time.
    gc.freeze()
    await session.ended.wait()


def _end_by_signal(session: Session) -> None:
    if sys.platform != "win32":
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, session.end)


async def _end_unvisited(session: Session, channel: SocketChannel, parent: int, patience: float) -> None:
    """Until a client has come nothing else tells us that the editor is gone, or has thought better of it."""
    last_call = time.monotonic() + patience
    while not channel.is_connected:
        if os.getppid() != parent or time.monotonic() > last_call:
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
        "--no-token", action="store_true", help="serve whoever connects first, be it another user"
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
