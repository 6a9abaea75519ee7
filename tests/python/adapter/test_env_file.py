"""dotenv rules."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensorpeek.adapter.env_file import parse_env_file

SURROUNDINGS = {"HOME": "/home/someone"}


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("A=1", "1"),
        ("A = 1 ", "1"),
        ("export A=1", "1"),
        ("  export  A=1", "1"),
        ("A=", ""),
        ("A=two words", "two words"),
        ("A=1 # comment", "1"),
        ("A=1#no comment", "1#no comment"),
        ("A='one # two'", "one # two"),
        ("A='one' # two", "one"),
        ('A="one # two"  # three', "one # two"),
        ("A='${HOME}'", "${HOME}"),
        ('A="${HOME}/x"', "/home/someone/x"),
        ("A=${HOME}/x", "/home/someone/x"),
        ("A=${UNKNOWN}x", "x"),
        (r'A="a\nb"', "a\nb"),
        (r'A="say \"hi\""', 'say "hi"'),
        (r"A='a\nb'", r"a\nb"),
        ('A="first\nsecond"', "first\nsecond"),
        ("A=1=2", "1=2"),
        ("A=ñandú", "ñandú"),
        ("\ufeffA=1", "1"),
        ("A=1\r", "1"),
    ],
)
def test_one_assignment(line: str, value: str) -> None:
    assert parse_env_file(line, SURROUNDINGS) == {"A": value}


def test_later_lines_see_earlier_ones_and_nonsense_is_passed_over() -> None:
    text = "# comment\n\nA=1\nnonsense\n=2\n1A=3\nB=${A}2\nA=4\n"
    assert parse_env_file(text, SURROUNDINGS) == {"A": "4", "B": "12"}


def test_the_file_comes_before_the_surroundings() -> None:
    assert parse_env_file("HOME=/x\nA=${HOME}", SURROUNDINGS)["A"] == "/x"


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    parse_env_file(text, {})
