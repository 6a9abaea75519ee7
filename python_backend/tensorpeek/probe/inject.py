"""Brings the probe into a process that pydevd debugs, by an `evaluate` without a frame that runs this file:

    (lambda n: exec(compile(open(n['__file__'], 'rb').read(), n['__file__'], 'exec'), n)
        or n['install'](ARGS))({'__name__': 'tensorpeek_inject', '__file__': FILE})

where ARGS is the JSON of ConfigureArguments. Neither sys.path nor the environment is touched, so that the
program can't tell. It runs on older Pythons too, because it has to say that one is too old for the rest.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys

OLDEST_PYTHON = (3, 9)

DOOR = "tensorpeek.probe.entry (debugger)"
"""Where the probe is in sys.modules: under a name that no import of the program's can mean."""


def install(arguments_json: str) -> str:
    """Loads and configures the probe, as often as asked. Returns the JSON of a ProbeReply, never raises."""
    try:
        if sys.version_info < OLDEST_PYTHON:
            return plain_process(f"Python {version()} is older than 3.9")
        folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        obstacle = load(folder)
        if obstacle:
            return plain_process(obstacle)
        return sys.modules[DOOR].start(arguments_json)
    except BaseException as error:  # noqa: BLE001 - the user's program must not notice
        return json.dumps({"contractVersion": 1, "ok": False, "error": f"{type(error).__name__}: {error}"})


def load(folder: str) -> str:
    """Puts the probe behind its door; returns why it can't."""
    if DOOR in sys.modules:
        return ""
    present = sys.modules.get("tensorpeek")
    if present is None:
        try:
            load_package(folder)
            sys.modules[DOOR] = importlib.import_module("tensorpeek.probe.entry")
        finally:
            # The program may have a tensorpeek of its own to import, as ours has when it is debugged.
            for name in [name for name in sys.modules if name.partition(".")[0] == "tensorpeek"]:
                if name != DOOR:
                    del sys.modules[name]
    elif list(getattr(present, "__path__", [])) == [folder]:
        sys.modules[DOOR] = importlib.import_module("tensorpeek.probe.entry")
    else:
        return f"the program has imported another tensorpeek: {getattr(present, '__file__', '?')}"
    return ""


def load_package(folder: str) -> None:
    """Puts the package `tensorpeek` into sys.modules, from where its modules import each other."""
    initial = os.path.join(folder, "__init__.py")
    spec = importlib.util.spec_from_file_location("tensorpeek", initial, submodule_search_locations=[folder])
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["tensorpeek"] = module
    spec.loader.exec_module(module)


def plain_process(problem: str) -> str:
    """The ProbeReply of a process in which values stay plain."""
    body = {"pid": os.getpid(), "name": "", "python": version(), "torch": "", "numpy": "", "problem": problem}
    return json.dumps({"contractVersion": 1, "ok": True, "body": body})


def version() -> str:
    return ".".join(map(str, sys.version_info[:3]))
