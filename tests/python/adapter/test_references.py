"""Our references stay the same where debugpy's change."""

from __future__ import annotations

from tensorpeek.adapter.references import FIRST_REFERENCE, KEPT_STOPS, References, UnfinishedValue


def test_a_path_keeps_its_reference_and_finds_debugpys_latest() -> None:
    references = References()
    first = references.own(("scope", 1, "Locals"), 7)
    references.new_stop()
    assert references.own(("scope", 1, "Locals"), 9) == first
    assert references.debugpys(first) == 9


def test_paths_do_not_mix() -> None:
    references = References()
    assert references.own(("scope", 1, "Locals"), 7) != references.own(("scope", 2, "Locals"), 7)


def test_debugpys_own_references_pass_through() -> None:
    assert References().debugpys(12) == 12
    assert References().own((1, "x"), 12) >= FIRST_REFERENCE


def test_what_nobody_asks_for_is_forgotten() -> None:
    references = References()
    kept, lost = references.own((1, "kept"), 3), references.own((1, "lost"), 4)
    for _ in range(KEPT_STOPS + 1):
        references.new_stop()
        references.own((1, "kept"), 3)
    assert references.debugpys(kept) == 3
    assert references.debugpys(lost) == lost


def test_an_unfinished_value_has_a_reference_beside_its_own() -> None:
    references = References()
    value = UnfinishedValue({"name": "x", "variablesReference": 5}, {"text": "x", "kind": "tensor"}, (1, "x"))
    number = references.own_unfinished(value)
    assert number != references.own((1, "x"), 5)
    assert references.unfinished_value(number) is value
    assert references.unfinished_value(references.own((1, "x"), 5)) is None
