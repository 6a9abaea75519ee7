"""Every text exists in every language, with the same places to fill."""

from __future__ import annotations

from string import Formatter

import pytest

from tensorpeek.adapter.texts import TEXTS, Texts

LANGUAGES = {"en", "es", "pt-br"}


@pytest.mark.parametrize("key", TEXTS)
def test_the_languages_say_the_same(key: str) -> None:
    def places(text: str) -> set[str | None]:
        return {name for _, name, _, _ in Formatter().parse(text) if name}

    assert set(TEXTS[key]) == LANGUAGES
    assert len({frozenset(places(text)) for text in TEXTS[key].values()}) == 1


@pytest.mark.parametrize(
    ("locale", "language"),
    [("en", "en"), ("en-US", "en"), ("es", "es"), ("es-AR", "es"), ("pt-BR", "pt-br"), ("pt", "pt-br")],
)
def test_locales(locale: str, language: str) -> None:
    assert Texts(locale)("ended") == TEXTS["ended"][language]


@pytest.mark.parametrize("locale", ["", "fr", "zh-cn", "?"])
def test_an_unknown_locale_reads_english(locale: str) -> None:
    assert Texts(locale)("ended") == TEXTS["ended"]["en"]
