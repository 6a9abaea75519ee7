"""A presentation survives its envelope, and nothing else is taken for one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tensorpeek.contract.envelope import ENVELOPE_END, ENVELOPE_START, unwrap, wrap


@given(st.text(), st.booleans())
def test_round_trip(text: str, partial: bool) -> None:
    assert unwrap(wrap({"text": text, "kind": "tensor", "partial": partial})) == {
        "text": text,
        "kind": "tensor",
        "partial": partial,
    }


@given(st.text())
def test_an_ordinary_value_is_none(text: str) -> None:
    assert unwrap(text) is None


@given(st.text() | st.sampled_from(["", "[]", "5", "{}", '{"text": 5}', "[" * 9]))
def test_a_damaged_envelope_is_none(content: str) -> None:
    assert unwrap(ENVELOPE_START + content + ENVELOPE_END) is None
    assert unwrap(ENVELOPE_START + content) is None
