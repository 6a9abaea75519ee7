"""Brings the probe into a process that pydevd debugs. Executed there, from its path, by one `evaluate` without a frame:

    (lambda n: exec(compile(open(n['__file__'], 'rb').read(), n['__file__'], 'exec'), n) or n['install'](ARGS))(
        {'__name__': 'tensorpeek_inject', '__file__': FILE})

where ARGS is the JSON of ConfigureArguments. Neither sys.path nor the environment is touched, so the program can't
tell. Written for any Python 3, because it has to say by itself that a Python is too old for the rest.
"""

import json
import os
import sys

OLDEST_PYTHON = (3, 9)


def install(arguments_json):  # type: (str) -> str
    """Loads and configures the probe; again and again if you like. Returns the JSON of a ProbeReply, never raises."""
    try:
        if sys.version_info < OLDEST_PYTHON:
            return _plain_process("Python %d.%d is older than 3.9" % sys.version_info[:2])
        obstacle = _load_package(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        if obstacle:
            return _plain_process(obstacle)
        from tensorpeek.probe import entry

        return entry.start(arguments_json)
    except BaseException as error:  # noqa: BLE001 - the user's program must not notice
        return json.dumps({"contractVersion": 1, "ok": False, "error": "%s: %s" % (type(error).__name__, error)})


def _load_package(folder):  # type: (str) -> str
    """Puts the package `tensorpeek` into sys.modules; returns why it can't."""
    import importlib.util

    initial = os.path.join(folder, "__init__.py")
    present = sys.modules.get("tensorpeek")
    if present is not None:
        if list(getattr(present, "__path__", [])) == [folder]:
            return ""
        return "the program has imported another tensorpeek: %s" % getattr(present, "__file__", "?")
    spec = importlib.util.spec_from_file_location("tensorpeek", initial, submodule_search_locations=[folder])
    if spec is None or spec.loader is None:
        return "%s can't be loaded" % initial
    module = importlib.util.module_from_spec(spec)
    sys.modules["tensorpeek"] = module
    spec.loader.exec_module(module)
    return ""


def _plain_process(problem):  # type: (str) -> str
    """The ProbeReply of a process in which values stay plain."""
    body = {
        "pid": os.getpid(),
        "name": "",
        "python": "%d.%d.%d" % sys.version_info[:3],
        "torch": "",
        "numpy": "",
        "problem": problem,
    }
    return json.dumps({"contractVersion": 1, "ok": True, "body": body})
