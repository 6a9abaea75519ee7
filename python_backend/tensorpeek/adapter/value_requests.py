"""Requests about the values of a paused program: variables, evaluations, our own tables."""

from __future__ import annotations

from typing import Any, cast

from tensorpeek.adapter import frame_values
from tensorpeek.adapter.framing import Message
from tensorpeek.adapter.session import Session


class ValueRequests:
    """A part; `values` knows what the answers look like."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def variables_request(self, request: Message) -> Any:
        session, asked = self._session, self._session.values.asked_now()
        reference: int = request["arguments"]["variablesReference"]
        unfinished = session.references.unfinished_value(reference)
        if unfinished is not None:
            client = session.client if session.client_features.get("supportsProgressReporting") else None
            return self._answer_exact(request, session.values.exact(request["seq"], unfinished, client))
        session.delegate(
            self._with_debugpys_reference(request),
            lambda body: session.values.variables(reference, asked, body),
        )
        return None

    async def _answer_exact(self, request: Message, exact: Any) -> None:
        self._session.client.respond(request, await exact)

    def evaluate_request(self, request: Message) -> None:
        session, asked, arguments = self._session, self._session.values.asked_now(), request["arguments"]
        expression, frame = arguments.get("expression"), arguments.get("frameId")
        context: str = arguments.get("context") or ""
        session.delegate(
            request, lambda body: session.values.evaluated(frame, expression, context, asked, body)
        )

    def setVariable_request(self, request: Message) -> None:
        session, asked, arguments = self._session, self._session.values.asked_now(), request["arguments"]
        path = (cast(int, arguments["variablesReference"]), cast(str, arguments["name"]))
        session.delegate(
            self._with_debugpys_reference(request),
            lambda body: session.values.assigned(path, path[1], asked, body),
        )

    def setExpression_request(self, request: Message) -> None:
        session, asked, arguments = self._session, self._session.values.asked_now(), request["arguments"]
        expression: str = arguments["expression"]
        path = ("value", arguments.get("frameId"), expression)
        session.delegate(request, lambda body: session.values.assigned(path, expression, asked, body))

    def _with_debugpys_reference(self, request: Message) -> Message:
        arguments = request["arguments"]
        reference = self._session.references.debugpys(arguments["variablesReference"])
        return {**request, "arguments": {**arguments, "variablesReference": reference}}

    def stackTrace_request(self, request: Message) -> None:
        def remember(body: Message) -> Message:
            for frame in body["stackFrames"]:
                self._session.frames[frame["id"]] = frame
            return body

        self._session.delegate(request, remember)

    def tensorpeek_tensors_request(self, request: Message) -> Any:
        return frame_values.tensors(self._session, request)

    def tensorpeek_inlineValues_request(self, request: Message) -> Any:
        return frame_values.inline_values(self._session, request)
