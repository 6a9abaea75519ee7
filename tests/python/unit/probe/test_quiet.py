"""Silencing warnings leaves no trace in the program."""

from __future__ import annotations

import warnings

import pytest

from tensorpeek.probe.quiet import ignored_warnings


def _warn() -> None:
    warnings.warn("again", stacklevel=1)


def test_nothing_is_shown_meanwhile() -> None:
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        with ignored_warnings(), ignored_warnings():
            warnings.warn("unseen", stacklevel=1)
        warnings.warn("seen", stacklevel=1)
    assert [str(warning.message) for warning in shown] == ["seen"]


def test_a_warning_that_was_shown_is_not_shown_again() -> None:
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("default")
        _warn()
        with ignored_warnings():
            _warn()
        _warn()
    assert len(shown) == 1


def test_the_filters_are_the_same_object_afterwards() -> None:
    filters = warnings.filters
    with pytest.raises(KeyError), ignored_warnings():
        raise KeyError
    assert warnings.filters is filters
