"""What a stop of ours says in the exception widget."""

from __future__ import annotations

from typing import Any, cast

from tensorpeek.adapter.training.exception_info import exception_info
from tensorpeek.contract.messages import Finding

FINDING: dict[str, Any] = {
    "number": 1,
    "condition": "loss-spike",
    "title": "Loss spike",
    "message": "`loss` is 7.5, and was about 0.2.",
    "path": "/home/ada/train.py",
    "line": 31,
    "lineText": "    loss.backward()",
    "module": "encoder.0",
    "step": 12,
    "epoch": 1,
    "rank": 2,
    "time": "",
    "value": 7.5,
    "threshold": 2.0,
    "history": [0.2, 0.25, "nan", 7.5],
    "evidence": ["batch rows 3, 7"],
    "next": ["Look at the batch."],
    "related": [{"path": "/home/ada/data.py", "line": 4, "message": "The rows come from here."}],
    "stopped": True,
}


def finding(**changes: Any) -> Finding:
    return cast(Finding, {**FINDING, **changes})


def test_it_says_what_where_when_how_much_and_what_to_do() -> None:
    info = exception_info(finding())
    assert info["exceptionId"] == "Loss spike"
    assert info["description"].splitlines() == [
        "`loss` is 7.5, and was about 0.2.",
        "At step 12, epoch 1, rank 2, module encoder.0.",
        "• Look at the batch.",
    ]
    lines = info["details"]["stackTrace"].splitlines()
    assert lines[0] == 'File "/home/ada/train.py", line 31'
    assert 'File "/home/ada/data.py", line 4' in lines
    assert "value 7.5, threshold 2" in lines
    assert "history ▁▁×█  0.2 to 7.5" in lines
    assert lines[-1] == "batch rows 3, 7"


def test_each_sentence_has_a_line_because_the_widget_does_not_wrap() -> None:
    message = "First NaN: `sqrt` at loss.py:15, min −0.3. NaN in the loss. `x.y` is 0.5 of it."
    lines = exception_info(finding(message=message))["description"].splitlines()
    assert lines[:3] == [
        "First NaN: `sqrt` at loss.py:15, min −0.3.",
        "NaN in the loss.",
        "`x.y` is 0.5 of it.",
    ]


def test_what_is_not_known_is_left_out() -> None:
    bare = finding(
        path="", line=0, module="", epoch=-1, rank=0, value=None, history=[], evidence=[], next=[], related=[]
    )
    info = exception_info(bare)
    assert info["description"].splitlines()[1:] == ["At step 12."]
    assert info["details"]["stackTrace"] == ""


def test_a_value_that_is_not_finite_is_spelled_as_the_contract_has_it() -> None:
    assert "value nan" in exception_info(finding(value="nan", threshold=None))["details"]["stackTrace"]
