"""What the adapter is made of beyond passing messages on: a list of parts, each with handlers found by name.

A part is an object made for a session; `part_list` names them all. Of the methods below it has those that it
needs; the name says what it hears of, where a command or event is spelled with `_` for `/`:

- `<command>_request(request)` answers a request of the client's; a coroutine function is awaited. At most one
  part has it. `session.delegate(request, edit)` passes it on.
- `before_<command>(request)` is told of a request before it is handled, by whichever part or by debugpy. It
  may return an awaitable; the request then waits for it, and what comes after is not held up.
- `<event>_event(event)` hears of an event of debugpy's after it was passed on to the client.
- `capabilities(debugpys)` adds to what debugpy answers to `initialize` (empty while that is not known).
- `probe_installed()`, a coroutine function, runs when the probe is in the debuggee and its program waits to
  begin: the place to send what came earlier. ProbeFailed is logged.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Iterable, Iterator
from typing import Any, Callable

from tensorpeek.adapter.framing import Message
from tensorpeek.adapter.probe_link import ProbeFailed

log = logging.getLogger(__name__)


class Parts:
    """Those of one session."""

    def __init__(self) -> None:
        self._parts: list[object] = []

    def add(self, parts: Iterable[object]) -> None:
        """In the order in which they hear of things."""
        self._parts.extend(parts)

    def handler(self, command: str) -> Callable[[Message], Any] | None:
        """What answers this request, None when no part does."""
        return next(self._methods(f"{spelled(command)}_request"), None)

    def before(self, request: Message) -> list[Awaitable[None]]:
        """What this request has to wait for."""
        told = (method(request) for method in self._methods(f"before_{spelled(request['command'])}"))
        return [work for work in told if work is not None]

    def hear(self, event: Message) -> None:
        for method in self._methods(f"{spelled(event['event'])}_event"):
            method(event)

    def capabilities(self, debugpys: Message) -> Message:
        added: Message = {}
        for method in self._methods("capabilities"):
            added.update(method(debugpys))
        return added

    async def probe_installed(self) -> None:
        await all_of((method() for method in self._methods("probe_installed")), "the beginning")

    def _methods(self, name: str) -> Iterator[Callable[..., Any]]:
        found = (getattr(part, name, None) for part in self._parts)
        return (method for method in found if method is not None)


def spelled(name: str) -> str:
    """A command or event as it is written in the names of methods."""
    return name.replace("/", "_")


async def all_of(works: Iterable[Awaitable[None]], what: str) -> None:
    """Waits for one after the other; a failure of one does not keep the others."""
    for work in works:
        await _one(work, what)


async def _one(work: Awaitable[None], what: str) -> None:
    try:
        await work
    except ProbeFailed as failure:
        log.warning("%s: the probe does not take what it should know: %s", what, failure)
    except Exception:
        log.exception("%s: a part of ours failed before it", what)
