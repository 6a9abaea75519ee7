"""Turns the user's launch or attach attributes into debugpy's, and says what is wrong with them."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from tensorpeek.adapter.access import TOKEN_SETTING
from tensorpeek.adapter.env_file import parse_env_file
from tensorpeek.adapter.framing import Message
from tensorpeek.adapter.texts import Texts
from tensorpeek.contract.messages import ConfigureArguments, SessionSettings

log = logging.getLogger(__name__)

OWN_ATTRIBUTES = ("tensorpeek", "debugpyPath")
"""What debugpy does not know; taken out for it and given back to child sessions."""

OLDEST_DEBUGGEE = (3, 8)
INTERPRETER_PATIENCE = 10.0
"""Seconds for an interpreter to say its version; long, because environments on network disks start slowly."""

DEFAULT_VALUE_BUDGET_MS = 20.0
DEFAULT_ANSWER_BUDGET_MS = 60.0
DEFAULT_BUDGET_PERCENT = 0.5


WAYS_TO_ATTACH = ("listen", "processId", "subProcessId")
"""Attributes that say to what to attach, besides an address to connect to."""


class LaunchProblem(Exception):
    """The session can't start as configured; the message is for the user."""


@dataclass
class StartAttributes:
    """The attributes of a launch or attach request, ours apart from debugpy's."""

    command: str
    """`launch` or `attach`."""
    passed_on: Message
    own: Message
    """For child sessions too; without the token, since each goes through an adapter of its own."""
    access_token: str

    @classmethod
    def of(cls, command: str, attributes: Message) -> StartAttributes:
        own = {key: attributes[key] for key in OWN_ATTRIBUTES if key in attributes}
        passed_on = {key: value for key, value in attributes.items() if key not in own}
        token: object = ""
        if isinstance(own.get("tensorpeek"), dict):
            settings = own["tensorpeek"] = dict(own["tensorpeek"])
            token = settings.pop(TOKEN_SETTING, "")
        return cls(command, passed_on, own, token if isinstance(token, str) else "")

    @property
    def debugpy_path(self) -> str | None:
        path = self.own.get("debugpyPath")
        return path if isinstance(path, str) and path else None

    @property
    def _settings(self) -> SessionSettings:
        given: Any = self.own.get("tensorpeek")
        return cast(SessionSettings, given if isinstance(given, dict) else {})

    @property
    def budgets(self) -> ConfigureArguments:
        settings = self._settings
        return {
            "valueBudgetMs": _milliseconds(settings.get("valueBudgetMs"), DEFAULT_VALUE_BUDGET_MS),
            "answerBudgetMs": _milliseconds(settings.get("answerBudgetMs"), DEFAULT_ANSWER_BUDGET_MS),
        }

    @property
    def budget_percent(self) -> float:
        """Of the training's time, for checks of it."""
        given = self._settings.get("budgetPercent")
        return given if isinstance(given, (int, float)) and 0 <= given <= 100 else DEFAULT_BUDGET_PERCENT

    @property
    def runs_folder(self) -> str:
        """Empty for the one in the program's working directory."""
        return _text(self._settings.get("runsFolder"))

    @property
    def traces_first_step(self) -> bool:
        """Whether the shapes of the training's first step are traced."""
        return self._settings.get("traceFirstStep") is not False

    @property
    def capsule(self) -> str:
        return _text(self._settings.get("capsule"))

    @property
    def address(self) -> tuple[str, int] | None:
        """Where an attach by `connect` (or by the older `host` and `port`) finds a listening debugpy."""
        if self.command != "attach":
            return None
        connect: Any = self.passed_on.get("connect")
        place = cast(Message, connect if isinstance(connect, dict) else self.passed_on)
        port = place.get("port")
        if not isinstance(port, (int, str)) or not str(port).isdigit():
            return None
        return str(place.get("host") or "127.0.0.1"), int(port)

    @property
    def names_a_debuggee(self) -> bool:
        """Whether an attach says to what; debugpy waits a minute before it finds that it does not."""
        return self.address is not None or any(self.passed_on.get(key) for key in WAYS_TO_ATTACH)


def _text(given: object) -> str:
    return given if isinstance(given, str) else ""


def _milliseconds(given: object, default: float) -> float:
    return float(given) if isinstance(given, (int, float)) and 0 < given < 60_000 else default


async def prepare_launch(attributes: Message, texts: Texts) -> Message:
    """The attributes with `envFile` merged under `env`; raises LaunchProblem for what can't be started."""
    prepared = _with_env_file(attributes)
    # With a launcher of the user's own (docker, ssh, sudo) paths may be those of another machine.
    if prepared.get("debugLauncherPython") or prepared.get("sudo"):
        return prepared
    program, cwd, interpreter = prepared.get("program"), prepared.get("cwd"), _interpreter(prepared)
    if isinstance(program, str) and not Path(cwd or "", program).exists():
        raise LaunchProblem(texts("no_program", path=program))
    if isinstance(cwd, str) and cwd and not Path(cwd).is_dir():
        raise LaunchProblem(texts("no_folder", path=cwd))
    if interpreter is not None:
        await _check_interpreter(interpreter, texts)
    return prepared


def _interpreter(attributes: Message) -> str | None:
    """The interpreter that `python` (a path, or a list that starts with one) or `pythonPath` names."""
    given: Any = attributes.get("python") or attributes.get("pythonPath")
    words = cast(list[object], given if isinstance(given, list) else [given])
    first = words[0] if words else None
    return first if isinstance(first, str) and first else None


async def _check_interpreter(interpreter: str, texts: Texts) -> None:
    if shutil.which(interpreter) is None:
        raise LaunchProblem(texts("no_python", path=interpreter))
    version = await _version_of(interpreter)
    if version is None:
        raise LaunchProblem(texts("not_python", path=interpreter))
    if version < OLDEST_DEBUGGEE:
        spelled = ".".join(map(str, version))
        raise LaunchProblem(texts("python_too_old", path=interpreter, python=spelled))


async def _version_of(interpreter: str) -> tuple[int, int] | None:
    """(major, minor), or None when it does not answer as a Python would."""
    ask = "import sys; sys.stdout.write('%d %d' % sys.version_info[:2])"
    try:
        process = await asyncio.create_subprocess_exec(
            *(interpreter, "-I", "-S", "-c", ask),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
    except OSError:
        return None
    try:
        answer, _ = await asyncio.wait_for(process.communicate(), INTERPRETER_PATIENCE)
    except asyncio.TimeoutError:
        process.kill()
        await process.wait()
        return None
    found = re.fullmatch(rb"(\d+) (\d+)", answer)
    return (int(found[1]), int(found[2])) if found else None


def _with_env_file(attributes: Message) -> Message:
    """A missing file is no error: editors name `${workspaceFolder}/.env` by default."""
    prepared = dict(attributes)
    name = prepared.pop("envFile", None)
    if not isinstance(name, str) or not name:
        return prepared
    try:
        text = Path(name).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        log.info("envFile is not read: %s", error)
        return prepared
    env: Any = prepared.get("env")
    given = cast(dict[str, Any], env if isinstance(env, dict) else {})
    prepared["env"] = {**parse_env_file(text, {**os.environ, **_strings(given)}), **given}
    return prepared


def _strings(given: dict[str, Any]) -> dict[str, str]:
    return {name: value for name, value in given.items() if isinstance(value, str)}
