"""Which debugpy a session talks to: the one at hand when it opens, another when the attributes name one."""

from __future__ import annotations

import asyncio
import logging

from tensorpeek.adapter.debugpy_location import find_debugpy
from tensorpeek.adapter.launch_attributes import LaunchProblem, StartAttributes
from tensorpeek.adapter.peer import Peer
from tensorpeek.adapter.peer_side import PeerSide
from tensorpeek.adapter.session import Session

log = logging.getLogger(__name__)

Address = tuple[str, int]


FIRST_ANSWER_PATIENCE = 30.0
"""Seconds for the first answer of a debugpy: a busy machine is slow, but something else may listen there."""


class _NoDebugpy(LaunchProblem):
    """What was started or connected to does not speak as debugpy does."""


class PeerChoice:
    """`address` is that of a listening debugpy adapter, or None to start one."""

    def __init__(self, session: Session, address: Address | None, log_folder: str | None) -> None:
        self._session = session
        self._address = address
        self._log_folder = log_folder

    async def open(self) -> None:
        """Opens the connection before the client speaks; raises OSError when `address` does not answer."""
        if self._address is not None:
            self._session.peer = await Peer.connect(*self._address, PeerSide(self._session))
            return
        package = find_debugpy()
        if package is None:
            log.warning("no debugpy was found; the launch attribute debugpyPath must name one")
        else:
            self._session.peer = await Peer.start(package, PeerSide(self._session), self._log_folder)

    async def follow(self, start: StartAttributes) -> None:
        """Changes to the debugpy that the attributes ask for, where it is another; raises LaunchProblem."""
        if self._address is not None:
            return
        texts = self._session.texts
        if start.command == "attach" and not start.names_a_debuggee:
            raise LaunchProblem(texts("attach_to_what"))
        if start.address is not None:
            host, port = start.address
            try:
                peer = await Peer.connect(host, port, PeerSide(self._session))
                await self._exchange(peer)
            except (OSError, _NoDebugpy) as error:
                raise LaunchProblem(texts("no_connection", host=host, port=port, problem=error)) from error
            return
        current = self._session.peer
        if current is not None and start.debugpy_path is None:
            return
        package = find_debugpy(start.debugpy_path)
        if package is None:
            path = start.debugpy_path
            raise LaunchProblem(texts("no_debugpy_at", path=path) if path else texts("no_debugpy"))
        if current is None or package != current.package:
            await self._exchange(await Peer.start(package, PeerSide(self._session), self._log_folder))

    async def _exchange(self, new: Peer) -> None:
        """The new one hears `initialize` as the old one did."""
        session = self._session
        old, session.peer = session.peer, new
        if old is not None:
            old.retire()
            session.spawn(old.end())
        answer = session.ask_peer("initialize", session.client_features)
        await asyncio.wait([answer], timeout=FIRST_ANSWER_PATIENCE)
        if not answer.done():
            new.channel.close()
            raise _NoDebugpy("it does not answer as debugpy does")
        response = answer.result()
        if not response["success"]:
            raise _NoDebugpy(str(response.get("message")))
        session.notify("capabilities", {"capabilities": session.capabilities(response["body"])})
