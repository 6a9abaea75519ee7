# pyright: reportMissingImports=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportAttributeAccessIssue=false
"""What passes between pydevd's client and us beside stops: threads, values, events, and a name to use."""

from __future__ import annotations

import re
import threading
from typing import Any, Callable

from tensorpeek.probe import pydevd_access


def current_thread_id() -> str:
    """pydevd's name of this thread."""
    from _pydevd_bundle.pydevd_constants import get_current_thread_id

    return get_current_thread_id(threading.current_thread())


def thread_id(thread: int, frame: int) -> str:
    """pydevd's name of the thread that the client calls `thread`, or that is stopped in its `frame`.

    Empty where there is none any more; 0 stands for what the client does not say.
    """
    from _pydevd_bundle._debug_adapter.pydevd_base_schema import BaseSchema

    try:
        if thread:
            return BaseSchema._translate_id_from_dap(thread)
        reference = BaseSchema._translate_id_from_dap(frame)
    except KeyError:
        return ""
    return (
        pydevd_access.debugger().suspended_frames_manager.get_thread_id_for_variable_reference(reference)
        or ""
    )


def reference_of(thread: str, name: str, value: object) -> int:
    """A variablesReference for a value of ours, valid while the thread is stopped; 0 when it is not."""
    from _pydevd_bundle._debug_adapter.pydevd_base_schema import BaseSchema

    tracker = pydevd_access.debugger().suspended_frames_manager.get_frame_tracker(thread)
    if tracker is None:
        return 0
    variable = tracker.obtain_as_variable(name, value)
    return BaseSchema._translate_id_to_dap(variable.get_variable_reference())


def stopped_threads() -> list[str]:
    return list(pydevd_access.debugger().suspended_frames_manager._thread_id_to_tracker)


def run_in(thread: str, call: Callable[[], Any], patience: float) -> Any:
    """Runs the call in a thread that is stopped, and gives what it gives; raises TimeoutError."""
    ended = threading.Event()
    outcome: list[Any] = []

    def run() -> None:
        try:
            outcome.append(call())
        except Exception as error:  # noqa: BLE001 - raised below, where it is awaited
            outcome.append(error)
        finally:
            ended.set()

    pydevd_access.debugger().post_method_as_internal_command(thread, lambda debugger: run())
    if not ended.wait(patience):
        raise TimeoutError(f"the stopped thread did not answer within {patience:.0f} s")
    if isinstance(outcome[0], Exception):
        raise outcome[0]
    return outcome[0]


def send_event(name: str, body: dict[str, Any]) -> None:
    """Sends the client an event of ours."""
    from _pydevd_bundle.pydevd_comm_constants import CMD_WRITE_TO_CONSOLE
    from _pydevd_bundle.pydevd_net_command import NetCommand

    debugger = pydevd_access.debugger()
    if debugger is not None and debugger.writer is not None:
        event = {"type": "event", "event": name, "body": body}
        debugger.writer.add_command(NetCommand(CMD_WRITE_TO_CONSOLE, 0, event, is_json=True))


def offer_name(name: str, make: Callable[[], object]) -> None:
    """Lets expressions that the user evaluates while paused use a name that the program does not have.

    It is a builtin meanwhile, so that what the expression assigns goes where it would go without.
    """
    import builtins

    from _pydevd_bundle import pydevd_vars

    evaluate = pydevd_vars.evaluate_expression
    is_mentioned = re.compile(rf"\b{name}\b").search

    def evaluate_with_name(debugger: Any, frame: Any, expression: str, is_exec: bool) -> Any:
        if frame is None or not is_mentioned(expression) or hasattr(builtins, name):
            return evaluate(debugger, frame, expression, is_exec)
        setattr(builtins, name, make())
        try:
            return evaluate(debugger, frame, expression, is_exec)
        finally:
            delattr(builtins, name)

    pydevd_vars.evaluate_expression = evaluate_with_name
