"""Exception filters taken apart: ours from debugpy's, in the order in which they are answered."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tensorpeek.adapter.training.filters import exception_filters, split
from tensorpeek.catalogue.conditions import BY_ID, CONDITIONS

DEBUGPYS = ("raised", "uncaught", "userUnhandled")
IDENTITIES = st.sampled_from([*DEBUGPYS, "tp.nan-loss", "tp.loss-spike", "tp.no-such", "other"])
CONDITION = st.sampled_from(["", "factor=5", "7", "factor=", "size=1", "{}", "factor=nan"])
OPTIONS = st.builds(lambda name, text: {"filterId": name, "condition": text}, IDENTITIES, CONDITION)


def test_every_condition_has_a_box_with_its_parameters_as_the_hint() -> None:
    boxes = exception_filters()
    assert [box["filter"] for box in boxes] == [f"tp.{info.id}" for info in CONDITIONS]
    spike = next(box for box in boxes if box["filter"] == "tp.loss-spike")
    assert spike["supportsCondition"]
    assert spike["conditionDescription"] == "factor=8 window=50 warmup=20 cooldown=50"
    assert all(len(box["label"]) <= 40 and box["description"] for box in boxes)


@given(st.lists(IDENTITIES, max_size=5), st.lists(OPTIONS, max_size=5))
def test_each_filter_is_answered_in_order_and_debugpy_gets_only_its_own(
    filters: list[str], options: list[dict[str, Any]]
) -> None:
    arguments = {"filters": filters, "filterOptions": options, "exceptionOptions": [{"breakMode": "always"}]}
    taken = split(arguments)
    assert "filterOptions" not in taken.debugpys
    assert taken.debugpys["exceptionOptions"] == arguments["exceptionOptions"]
    assert not [name for name in taken.debugpys["filters"] if name.startswith("tp.")]
    assert len(taken.answers) == len(filters) + len(options) + 1
    asked = [*filters, *(option["filterId"] for option in options)]
    for name, answer in zip(asked, taken.answers, strict=False):
        assert answer["verified"] or (name.startswith("tp.") and answer["message"])
        assert name != "tp.no-such" or not answer["verified"]
    assert [asked[index][3:] for index in taken.ours] == [each["condition"] for each in taken.conditions]
    for each in taken.conditions:
        assert set(each["settings"]) == {one.name for one in BY_ID[each["condition"]].parameters}


def test_a_condition_that_can_not_be_read_is_refused_with_the_reason() -> None:
    taken = split({"filters": [], "filterOptions": [{"filterId": "tp.loss-spike", "condition": "fcator=3"}]})
    assert taken.conditions == []
    assert not taken.answers[0]["verified"]
    assert "did you mean factor" in taken.answers[0]["message"]


def test_odd_options_do_no_harm() -> None:
    assert split({"filters": [], "filterOptions": [7, {}, None]}).conditions == []
