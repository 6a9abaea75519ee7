# pyright: reportMissingImports=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportAttributeAccessIssue=false, reportUntypedBaseClass=false
"""What of pydevd's insides has to do with values; only the files `pydevd_….py` touch any of them.

pydevd has an extension API for texts and children, but it is read once, before we arrive; and it says nothing
of references, frames and resuming. `problem()` checks everything used here first, so that another pydevd
leaves the session plain instead of broken.
"""

from __future__ import annotations

import socket
import sys
import threading
from collections import OrderedDict
from contextlib import suppress
from itertools import islice
from typing import Any, Callable

Entries = list[tuple[str, Any, Any]]
"""What pydevd's resolvers give: name, value, and a suffix, a function of the parent's expression, or None."""

OUR_DOOR = "tensorpeek.probe"
"""Is in every expression by which the probe itself is called."""
SHOWN_ITEMS = 61
"""pydevd shows 59 items of a dict and `...` when there are more than 60, but copies all keys for that."""


class Gone(Exception):
    """The reference or frame belongs to a pause that is over."""


def problem() -> str:
    """Why this pydevd can't be used, empty when it can."""
    try:
        from _pydevd_bundle import (
            pydevd_comm,
            pydevd_constants,
            pydevd_extension_utils,
            pydevd_suspended_frames,
            pydevd_vars,
            pydevd_xml,
        )
        from _pydevd_bundle._debug_adapter.pydevd_base_schema import BaseSchema
        from _pydevd_bundle.pydevd_api import PyDevdAPI
        from _pydevd_bundle.pydevd_daemon_thread import mark_as_pydevd_daemon_thread
        from _pydevd_bundle.pydevd_resolver import defaultResolver
        from _pydevd_bundle.pydevd_safe_repr import SafeRepr

        handler = pydevd_xml._TYPE_RESOLVE_HANDLER
        needed: list[tuple[object, str]] = [
            (handler, "_initialize"),
            (handler, "_type_to_resolver_cache"),
            (handler, "_type_to_str_provider_cache"),
            (pydevd_extension_utils.EXTENSION_MANAGER_INSTANCE, "_ensure_loaded"),
            (pydevd_suspended_frames._FramesTracker, "untrack_all"),
            (pydevd_suspended_frames._FrameVariable, "_group_entries"),
            (pydevd_suspended_frames._ObjectVariable, "change_variable"),
            (pydevd_vars, "evaluate_expression"),
            (pydevd_vars, "change_attr_expression"),
            (BaseSchema, "_translate_id_from_dap"),
            (defaultResolver, "get_contents_debug_adapter_protocol"),
            (SafeRepr, "_repr_obj"),
            (pydevd_constants, "filter_all_warnings"),
            (pydevd_comm, "filter_all_warnings"),
            (PyDevdAPI, "request_disconnect"),
        ]
        missing = [name for owner, name in needed if not hasattr(owner, name)]
        if missing:
            return f"this debugpy has no {', '.join(missing)}"
        if debugger() is None or not callable(mark_as_pydevd_daemon_thread):
            return "no debugger is attached to this process"
    except ImportError as error:
        return f"this debugpy is not the one TensorPeek knows: {error}"
    return ""


def debugger() -> Any:
    from _pydevd_bundle.pydevd_constants import get_global_debugger

    return get_global_debugger()


def register(text_provider: object, children_provider: object) -> None:
    """Puts our providers before pydevd's own, whether or not pydevd has already shown values."""
    from _pydevd_bundle import pydevd_extension_utils, pydevd_xml

    handler = pydevd_xml._TYPE_RESOLVE_HANDLER
    pydevd_extension_utils.EXTENSION_MANAGER_INSTANCE._ensure_loaded()
    if not handler._initialized:
        handler._initialize()
    handler._str_providers.insert(0, text_provider)
    handler._resolve_providers.insert(0, children_provider)
    handler._type_to_resolver_cache.clear()
    handler._type_to_str_provider_cache.clear()


def send_without_delay() -> None:
    """pydevd sends a message in two parts; with Nagle's algorithm each costs 40 ms."""
    writer = getattr(debugger(), "writer", None)
    connection = getattr(writer, "sock", None)
    if isinstance(connection, socket.socket):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def on_disconnect(callback: Callable[[], None]) -> None:
    """Calls back each time the debugger leaves, also when it vanished: debugpy then says so in its place."""
    from _pydevd_bundle.pydevd_api import PyDevdAPI

    request_disconnect = PyDevdAPI.request_disconnect

    def tell_and_disconnect(api: Any, *arguments: Any, **options: Any) -> Any:
        callback()
        return request_disconnect(api, *arguments, **options)

    PyDevdAPI.request_disconnect = tell_and_disconnect


def silence_warnings_by(ignored_warnings: Callable[[], Any]) -> None:
    """Replaces the context manager under which pydevd reads values."""
    from _pydevd_bundle import pydevd_comm, pydevd_constants

    for module in (pydevd_constants, pydevd_comm):
        module.filter_all_warnings = ignored_warnings


def find_value(reference: int) -> Any:
    """The value behind a reference; of a scope the frame, or its globals. Raises Gone."""
    from _pydevd_bundle._debug_adapter.pydevd_base_schema import BaseSchema

    try:
        identity = BaseSchema._translate_id_from_dap(reference)
        variable = getattr(identity, "variable_reference", identity)
        value = debugger().suspended_frames_manager.get_variable(variable).value
    except (KeyError, RuntimeError) as error:  # RuntimeError: pydevd's dict changed, the program is resuming
        raise Gone(f"reference {reference}") from error
    return value.f_globals if getattr(identity, "scope", None) == "globals" else value


def is_paused() -> bool:
    return bool(debugger().suspended_frames_manager._thread_id_to_tracker)


def paused_names() -> dict[str, Any]:
    """The local names where threads are paused; empty without a debugger, or with one that says nothing."""
    names: dict[str, Any] = {}
    with suppress(Exception):
        for tracker in list(debugger().suspended_frames_manager._thread_id_to_tracker.values()):
            for frame in islice(tracker._frame_id_to_frame.values(), 1):
                names.update(frame.f_locals)
    return names


def on_resume(callback: Callable[[], None]) -> None:
    """Calls back each time pydevd forgets the references of a pause, in the thread that resumes."""
    from _pydevd_bundle.pydevd_suspended_frames import _FramesTracker

    untrack_all = _FramesTracker.untrack_all

    def untrack_all_and_tell(tracker: Any) -> None:
        untrack_all(tracker)
        callback()

    _FramesTracker.untrack_all = untrack_all_and_tell


def on_evaluation(callback: Callable[[], None]) -> None:
    """Calls back each time an expression of the user's has run that may have changed a value in place."""
    from _pydevd_bundle import pydevd_vars
    from _pydevd_bundle.pydevd_suspended_frames import _ObjectVariable

    evaluate = pydevd_vars.evaluate_expression

    def evaluate_and_tell(debugger: Any, frame: Any, expression: str, is_exec: bool) -> Any:
        try:
            return evaluate(debugger, frame, expression, is_exec)
        finally:
            if may_change(expression):
                callback()

    def telling(change: Callable[..., Any]) -> Callable[..., Any]:
        def change_and_tell(*arguments: Any, **options: Any) -> Any:
            try:
                return change(*arguments, **options)
            finally:
                callback()

        return change_and_tell

    pydevd_vars.evaluate_expression = evaluate_and_tell
    pydevd_vars.change_attr_expression = telling(pydevd_vars.change_attr_expression)
    _ObjectVariable.change_variable = telling(_ObjectVariable.change_variable)


def may_change(expression: str) -> bool:
    """Whether it is more than a look-up, which has no call and assigns nothing, and none of our own calls."""
    return any(sign in expression for sign in "(= \n") and OUR_DOOR not in expression


def group_locals(grouped: Callable[[Entries], Entries]) -> None:
    """Lets `grouped` fold the locals of a frame, which pydevd shows one by one however many they are."""
    from _pydevd_bundle.pydevd_suspended_frames import _FrameVariable

    group_entries = _FrameVariable._group_entries

    def group_entries_and_fold(variable: Any, entries: Entries, handle_return_values: bool) -> Any:
        rest, groups = group_entries(variable, entries, handle_return_values)
        return grouped(rest), groups

    _FrameVariable._group_entries = group_entries_and_fold


def plain_children(value: Any, *, attributes_only: bool = False) -> Entries:
    """The children pydevd shows by itself; `attributes_only` leaves out what is special to the type."""
    from _pydevd_bundle import pydevd_xml
    from _pydevd_bundle.pydevd_resolver import defaultResolver, sorted_attributes_key

    handler = pydevd_xml._TYPE_RESOLVE_HANDLER
    resolver = defaultResolver
    if not attributes_only:
        own_resolvers = (
            provider
            for provider in handler._resolve_providers
            if not type(provider).__module__.startswith("tensorpeek.")
            and provider.can_provide(type(value), type(value).__name__)
        )
        builtin_resolvers = (found for cls, found in handler._default_type_map if isinstance(value, cls))
        resolver = next(own_resolvers, None) or next(builtin_resolvers, None) or defaultResolver
    if hasattr(resolver, "get_contents_debug_adapter_protocol"):
        return list(resolver.get_contents_debug_adapter_protocol(value))
    items = sorted(resolver.get_dictionary(value).items(), key=lambda item: sorted_attributes_key(item[0]))
    return [(name, child, None) for name, child in items]


def rename_child(container: Any, name: str, value: Any) -> Any:
    """Sets a child that has no expression (an element of a set) as pydevd does; None when it can't."""
    from _pydevd_bundle import pydevd_xml

    for cls, resolver in pydevd_xml._TYPE_RESOLVE_HANDLER._default_type_map:
        if isinstance(container, cls):
            change = getattr(resolver, "change_var_from_name", None)
            return change(container, name, value) if change is not None else None
    return None


def plain_text(value: Any, before_repr: Callable[[object], None]) -> str:
    """The text pydevd shows by itself; `before_repr` hears of each object whose own repr is about to run."""
    from _pydevd_bundle.pydevd_safe_repr import SafeRepr

    class Telling(SafeRepr):
        def _repr_obj(self, obj: Any, level: int, limit_inner: int, limit_outer: int) -> Any:
            before_repr(obj)
            return super()._repr_obj(obj, level, limit_inner, limit_outer)

    if type(value) in (dict, OrderedDict) and len(value) > SHOWN_ITEMS:
        value = type(value)(islice(value.items(), SHOWN_ITEMS))
    return str(Telling()(value))


def hide_thread(thread: threading.Thread) -> None:
    """Makes a thread of ours invisible to the user and to the program. Called before it starts."""
    daemon_threads = sys.modules.get("_pydevd_bundle.pydevd_daemon_thread")
    if daemon_threads is not None:
        daemon_threads.mark_as_pydevd_daemon_thread(thread)


def untrace_current_thread() -> None:
    """For a thread of ours, which pydevd would trace like any other and slow down."""
    tracing = sys.modules.get("pydevd_tracing")
    monitoring = sys.modules.get("_pydevd_sys_monitoring.pydevd_sys_monitoring")
    if monitoring is not None and sys.modules["_pydevd_bundle.pydevd_constants"].PYDEVD_USE_SYS_MONITORING:
        monitoring.stop_monitoring(all_threads=False)
    elif tracing is not None:
        tracing.SetTrace(None)
