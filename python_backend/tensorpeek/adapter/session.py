"""One debug session: the client's channel, debugpy's channel, and what they share."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Coroutine
from typing import Any, Callable, Union, cast

from tensorpeek.adapter.activation import Activation
from tensorpeek.adapter.channel import Channel
from tensorpeek.adapter.framing import Message
from tensorpeek.adapter.launch_attributes import StartAttributes
from tensorpeek.adapter.parts import Parts
from tensorpeek.adapter.peer import Peer
from tensorpeek.adapter.probe_link import ProbeLink
from tensorpeek.adapter.processes import LaunchedProcess
from tensorpeek.adapter.references import References
from tensorpeek.adapter.refinement import Refinements
from tensorpeek.adapter.texts import Texts
from tensorpeek.adapter.values import Values, without_envelopes

log = logging.getLogger(__name__)

Edit = Callable[[Message], Union[Message, Awaitable[Message]]]
"""Makes the body for the client out of debugpy's body."""

GRACE = 1.0
"""Seconds that a launched program gets to end after debugpy is gone, before it is killed."""


class Session:
    """Shared state, delegation, and the end. The two sides hold the handlers."""

    def __init__(self) -> None:
        self.client: Channel
        self.peer: Peer | None = None
        self.client_features: Message = {}
        """The arguments of the client's `initialize`."""
        self.start: StartAttributes | None = None
        """The attributes of the launch or attach request, once it has come."""
        self.launched: LaunchedProcess | None = None
        self.frames: dict[int, Message] = {}
        """The stack frames that debugpy named since the last resume, by id."""
        self.texts = Texts()
        self.probe = ProbeLink(self.ask_peer)
        self.references = References()
        self.refinements = Refinements(self.probe, lambda name: self.texts("refining", name=name))
        self.values = Values(self.probe, self.references, self.refinements)
        self.parts = Parts()
        self.activation = Activation(self.probe, self.ask_peer, self.notify, self.parts.probe_installed)
        self.has_terminated = False
        self._is_edited = True
        self._tasks: set[asyncio.Task[Any]] = set()
        self._end: asyncio.Task[None] | None = None
        self.ended = asyncio.Event()

    # Talking to both sides

    def speak(self, locale: str) -> None:
        """Sets the language of what users read."""
        self.texts = self.activation.texts = Texts(locale)

    def capabilities(self, debugpys: Message) -> Message:
        """What debugpy can do, and what we add to it for this client."""
        ours = {"supportsConfigurationDoneRequest": True, "supportsCancelRequest": True}
        if self.values.colours:
            ours["supportsANSIStyling"] = True
        return {**debugpys, **ours, **self.parts.capabilities(debugpys)}

    def notify(self, event: str, body: Message) -> None:
        self.client.event(event, body)

    def ask_peer(self, command: str, arguments: Message) -> asyncio.Future[Message]:
        """Sends debugpy a request of our own; the future gets the response, a failed one without debugpy."""
        if self.peer is None:
            future: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
            future.set_result({"success": False, "message": "there is no debugpy"})
            return future
        return self.peer.channel.request(command, arguments)

    def delegate(self, request: Message, edit: Edit | None = None) -> None:
        """Passes a client's request on, and debugpy's response back, its body edited where it succeeded."""
        if self.peer is None or not self.peer.channel.is_open:
            self.client.refuse(request, self.texts("ended"))
            return
        seq, command = cast(int, request["seq"]), cast(str, request["command"])

        def pass_back(response: Message) -> None:
            response["command"] = command
            if edit is None or not response["success"]:
                self.client.pass_response(seq, response)
            else:
                self._pass_edited(seq, response, edit)

        self.peer.channel.send_request(request, pass_back)

    def _pass_edited(self, seq: int, response: Message, edit: Edit) -> None:
        """Whatever goes wrong in an edit, the client gets debugpy's own answer."""
        body: Message = response.get("body") or {}
        if not self._is_edited:
            self.client.pass_response(seq, {**response, "body": without_envelopes(body)})
            return
        try:
            edited = edit(body)
            if inspect.isawaitable(edited):
                self.spawn(self._pass_awaited(seq, response, edited))
                return
        except Exception:  # noqa: BLE001 (the session goes on as plain debugpy)
            edited = self._fall_back(body, cast(str, response["command"]))
        self.client.pass_response(seq, {**response, "body": edited})

    async def _pass_awaited(self, seq: int, response: Message, edited: Awaitable[Message]) -> None:
        try:
            body = await edited
        except Exception:  # noqa: BLE001 (the session goes on as plain debugpy)
            body = self._fall_back(response.get("body") or {}, cast(str, response["command"]))
        self.client.pass_response(seq, {**response, "body": body})

    def _fall_back(self, body: Message, command: str) -> Message:
        log.exception("the answer to %s could not be edited; the session goes on as plain debugpy", command)
        self._is_edited = False
        self.activation.run_plain("plain_adapter")
        return without_envelopes(body)

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Runs work whose failure must not pass unnoticed."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.error("a task failed", exc_info=task.exception())

    def resumed(self) -> None:
        """The program runs on: what was known of its pause is void, and work on its values stops."""
        self.refinements.cancel_all()
        self.activation.stop_looking()
        self.references.resumed()
        self.frames.clear()

    # The end

    def peer_ended(self) -> None:
        """debugpy is gone, by itself or by a client's wish: the client hears so, and nothing stays behind."""
        self.resumed()
        self.activation.settled.set()
        self.tell_terminated()
        self.spawn(self._clean_up())

    def tell_terminated(self) -> None:
        if not self.has_terminated:
            self.has_terminated = True
            self.notify("terminated", {})

    async def _clean_up(self) -> None:
        """A program that was launched ends with its session; one that was attached to is never touched."""
        if self.launched is not None:
            await asyncio.sleep(GRACE if self.launched.is_alive else 0)
            self.launched.kill()

    def end(self) -> None:
        """Ends everything that this session started; `ended` is set when all of it is gone."""
        if self._end is None:
            self._end = asyncio.ensure_future(self._end_all())

    async def _end_all(self) -> None:
        self.resumed()
        try:
            if self.peer is not None:
                await self.peer.end()
            await self._clean_up()
        finally:
            self.client.close()
            self.ended.set()
