from __future__ import annotations

import json
import sys
import types
from collections import deque

import pytest

from tensorpeek.contract.messages import CONTRACT_VERSION
from tensorpeek.probe import entry, process
from tensorpeek.probe.answers import Answers
from tensorpeek.probe.presentation import present
from tensorpeek.probe.providers import ValueChildren, ValueText
from tensorpeek.probe.pydevd_access import Gone


@pytest.fixture
def session() -> entry.Session:
    def find(reference: int) -> object:
        if reference < 0:
            raise Gone(reference)
        return reference

    return entry.Session(Answers(find))


def ask(session: entry.Session, command: str, **arguments: object) -> dict:
    reply = json.loads(session.handle(command, json.dumps(arguments)))
    assert reply["contractVersion"] == CONTRACT_VERSION
    return reply


def test_configuring_answers_what_the_process_is(session):
    body = ask(session, "configure", valueBudgetMs=20, answerBudgetMs=60)["body"]
    assert body["python"].startswith(f"{sys.version_info[0]}.")
    assert body["problem"] == ""
    assert set(body) == {"pid", "name", "python", "torch", "numpy", "problem"}


@pytest.mark.parametrize(
    ("command", "arguments", "error"),
    [
        ("nonsense", "{}", "unknown command nonsense"),
        ("refine", '{"reference": -1, "sliceMs": 1}', "no longer paused there"),
        ("refine", "{}", "KeyError"),
        ("refine", "not json", "JSONDecodeError"),
        ("lines", '{"frameId": -3, "expressions": [], "budgetMs": 1}', "no longer paused there"),
    ],
)
def test_what_goes_wrong_is_said_and_never_raised(session, command, arguments, error):
    reply = json.loads(session.handle(command, arguments))
    assert not reply["ok"]
    assert error in reply["error"]


def test_even_an_exit_is_only_an_error(session, monkeypatch):
    def leave(arguments: object) -> None:
        raise SystemExit

    monkeypatch.setitem(session._commands, "process", leave)
    assert "SystemExit" in ask(session, "process")["error"]


def test_a_table_too_large_for_one_reply_is_cut_and_says_so(monkeypatch):
    monkeypatch.setattr(entry, "LARGEST_REPLY", 1000)
    rows = [{"expression": "x" * 50} for _ in range(100)]
    body = json.loads(entry.success({"rows": rows, "truncated": False}))["body"]
    assert 0 < len(body["rows"]) < 100
    assert body["truncated"]


def test_any_other_reply_too_large_is_an_error(monkeypatch):
    monkeypatch.setattr(entry, "LARGEST_REPLY", 1000)
    reply = json.loads(entry.success({"presentations": [present("x" * 2000, "other")]}))
    assert not reply["ok"]
    assert "characters" in reply["error"]


def test_a_worker_is_named_by_its_number(monkeypatch):
    worker = types.SimpleNamespace(_worker_info=types.SimpleNamespace(id=3))
    monkeypatch.setitem(sys.modules, "torch.utils.data._utils.worker", worker)
    assert process.role() == "worker 3"


@pytest.mark.parametrize(
    ("environment", "name"),
    [
        ({}, ""),
        ({"RANK": "5", "LOCAL_RANK": "1"}, "rank 5"),
        ({"LOCAL_RANK": "1"}, "rank 1"),
        ({"RANK": "?"}, ""),
    ],
)
def test_a_rank_is_named_by_its_number(monkeypatch, environment, name):
    for variable in ("RANK", "LOCAL_RANK"):
        monkeypatch.delenv(variable, raising=False)
    for variable, value in environment.items():
        monkeypatch.setenv(variable, value)
    assert process.role() == name


def test_another_process_keeps_the_name_multiprocessing_gave(monkeypatch):
    monkeypatch.delenv("RANK", raising=False)
    named = types.SimpleNamespace(current_process=lambda: types.SimpleNamespace(name="Process-2"))
    monkeypatch.setitem(sys.modules, "multiprocessing.process", named)
    assert process.role() == "Process-2"


class Lazy(types.ModuleType):
    """Loads itself when it is asked, as importlib's lazy modules do."""

    def __getattribute__(self, name: str) -> object:
        if name == "__version__":
            raise AssertionError("it loads")
        return super().__getattribute__(name)


@pytest.mark.parametrize("module", [Lazy("torch"), None, types.SimpleNamespace(), types.ModuleType("torch")])
def test_asking_for_versions_runs_nothing(monkeypatch, module):
    monkeypatch.setitem(sys.modules, "torch", module)
    assert process.process_info()["torch"] == ""


@pytest.mark.parametrize(
    ("version", "problem"),
    [
        ("2.1.2+cu118", "torch 2.1.2+cu118 is older than 2.2"),
        ("1.13.1", "torch 1.13.1 is older than 2.2"),
        ("2.2.0a0+git123", ""),
        ("2.10.0", ""),
        ("10.0", ""),
        ("unknown", ""),
    ],
)
def test_a_torch_that_is_too_old_is_left_to_pydevd(monkeypatch, session, version, problem):
    torch = types.ModuleType("torch")
    torch.__version__ = version
    monkeypatch.setitem(sys.modules, "torch", torch)
    assert ask(session, "process")["body"]["problem"] == problem
    answers = Answers()
    for provider in (ValueText(answers), ValueChildren(answers)):
        assert provider.can_provide(deque, "deque") is (not problem)
