"""What is under lists, dicts and sets, and that it can be set."""

from __future__ import annotations

import pytest

from harness import RepeatingSession


@pytest.fixture
def session(repeating_plain: RepeatingSession) -> RepeatingSession:
    return repeating_plain


def containers(session: RepeatingSession) -> RepeatingSession:
    session.launch("values.py", stops=["end"])
    session.wait_for_stop(60)
    session.evaluate("globals().update(held={'list': [1, 2], 'set': {1, 2}, 3: (1, 2)})", "repl")
    return session


@pytest.mark.parametrize(
    ("path", "name", "check"),
    [
        (["'list'"], "0", "held['list'][0]"),
        ([], "3", "held[3]"),
    ],
)
def test_items_can_be_set(session: RepeatingSession, path: list[str], name: str, check: str) -> None:
    shown = containers(session).evaluate("held")
    for step in path:
        shown = session.expand(shown)[step]
    row = session.expand(shown)[name]
    assert row["evaluateName"] == check
    session.request("setVariable", variablesReference=shown["variablesReference"], name=name, value="'new'")
    assert session.evaluate(check, "repl")["result"] == "'new'"


def test_an_element_of_a_set_can_be_set(session: RepeatingSession) -> None:
    shown = session.expand(containers(session).evaluate("held"))["'set'"]
    rows = session.expand(shown)
    assert [row["value"] for row in rows.values()] == ["1", "2", "2"]
    assert list(rows)[-1] == "len()"
    session.request(
        "setVariable", variablesReference=shown["variablesReference"], name=next(iter(rows)), value="7"
    )
    assert session.evaluate("held['set'] == {7, 2}", "repl")["result"] == "True"
