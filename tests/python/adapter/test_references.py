"""Our references stay the same where debugpy's change."""

from __future__ import annotations

from tensorpeek.adapter.references import FIRST_REFERENCE, KEPT_PAUSES, References, UnfinishedValue


def begin_pause(references: References) -> None:
    references.resumed()
    references.stopped()


def test_a_path_keeps_its_reference_and_finds_debugpys_latest() -> None:
    references = References()
    first = references.own(("scope", 1, "Locals"), 7)
    begin_pause(references)
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
    for _ in range(KEPT_PAUSES + 1):
        begin_pause(references)
        references.own((1, "kept"), 3)
    assert references.debugpys(kept) == 3
    assert references.debugpys(lost) == lost


def test_threads_that_stop_together_make_one_pause() -> None:
    references = References()
    begin_pause(references)
    number, pause = references.own((1, "x"), 3), references.pause
    for _ in range(KEPT_PAUSES + 1):
        references.stopped()
    assert references.pause == pause
    assert references.debugpys(number) == 3


def test_an_unfinished_value_has_a_reference_beside_its_own() -> None:
    references = References()
    entry = {"name": "x", "variablesReference": 5}
    value = UnfinishedValue(entry, {"text": "x", "kind": "tensor"}, (1, "x"), 0)
    number = references.own_unfinished(value)
    assert number != references.own((1, "x"), 5)
    assert references.unfinished_value(number) is value
    assert references.unfinished_value(references.own((1, "x"), 5)) is None
