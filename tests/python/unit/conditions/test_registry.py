"""The catalogue's descriptions and the conditions are one to one."""

from __future__ import annotations

import re

import pytest

from tensorpeek.catalogue.condition_info import ConditionInfo
from tensorpeek.catalogue.conditions import CONDITIONS
from tensorpeek.catalogue.settings import format_settings, parse_settings
from tensorpeek.probe.conditions.condition import Condition
from tensorpeek.probe.conditions.registry import BY_ID, CLASSES

MOMENTS = {name for name in vars(Condition) if name.startswith("on_")}


def test_each_description_has_one_class() -> None:
    assert [cls.info for cls in CLASSES] == list(CONDITIONS)
    assert len(BY_ID) == len(CLASSES)


@pytest.mark.parametrize("info", CONDITIONS, ids=lambda info: info.id)
def test_a_description_fits_where_it_is_shown(info: ConditionInfo) -> None:
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", info.id)
    assert len(info.label) <= 40
    assert info.description.endswith(".")
    assert all(parameter.help for parameter in info.parameters)


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.info.id)
def test_a_condition_starts_with_what_the_user_may_write(cls: type[Condition]) -> None:
    defaults = parse_settings(cls.info, "")
    assert parse_settings(cls.info, format_settings(defaults)) == pytest.approx(defaults)
    cls(defaults)
    own = {name for name in dir(cls) if getattr(cls, name) is not getattr(Condition, name, None)}
    assert own & MOMENTS
    assert cls.samples <= own
