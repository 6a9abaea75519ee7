"""Colour goes around the text and never into it."""

from __future__ import annotations

import re

import pytest

from tensorpeek.adapter.styling import styled
from tensorpeek.contract.messages import Presentation


@pytest.mark.parametrize(
    ("presentation", "seen"),
    [
        ({"text": "NaN 3 f32[2]", "kind": "tensor", "alarm": "NaN 3"}, "\x1b[31mNaN 3\x1b[0m f32[2]"),
        ({"text": "f32[2]", "kind": "tensor"}, "f32[2]"),
        ({"text": "f32[2]", "kind": "tensor", "alarm": "NaN 3"}, "f32[2]"),
        ({"text": "▁▂▃", "kind": "other", "style": "spark"}, "\x1b[32m▁▂▃\x1b[0m"),
        ({"text": "12 bytes", "kind": "other", "style": "faint"}, "\x1b[2m12 bytes\x1b[0m"),
        ({"text": "", "kind": "other", "style": "faint"}, ""),
    ],
)
def test_styles(presentation: Presentation, seen: str) -> None:
    assert styled(presentation) == seen
    assert re.sub(r"\x1b\[\d+m", "", seen) == presentation["text"]
