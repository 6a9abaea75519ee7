"""Conditions are understood or refused by their text alone, with a reason that says what to write."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensorpeek.catalogue.functions import BY_NAME, FUNCTIONS
from tensorpeek.catalogue.line_condition import (
    ConditionProblem,
    check_condition,
    check_log_message,
    expressions_of,
    literal,
    parts_of,
)
from tensorpeek.catalogue.line_explanation import explanation


@pytest.mark.parametrize(
    ("condition", "sentence"),
    [
        (
            "tp.spike(loss)",
            "Stops when loss is more than 8 spreads above the median of the last 50 values, after 20 values.",
        ),
        (
            "tp.spike(acc, 3, warmup=99)",
            "Stops when acc is more than 3 spreads above the median of the last 50 values, after 99 values.",
        ),
        (
            "tp.every(100) and tp.norm(w.grad) > 10",
            "Stops when the line is reached for each 100th time and the norm of w.grad is above 10.",
        ),
        ("not tp.nonfinite(a, b)", "Stops when it is not so that there is NaN or Inf in a or b."),
        ("tp.shape(x) != (64, 10)", "Stops when the shape of x is not (64, 10)."),
        ("tp.dead(h)", "Stops when at least 90 % of the units of h give one value for the whole batch."),
        ("tp.outside(x, -1, 1)", "Stops when x has a value outside -1 to 1."),
        ("i > 3", "Stops when i is above 3."),
        ("ready", "Stops when `ready` holds."),
        (
            "a > 1 or (tp.changed(b) and c)",
            "Stops when a is above 1 or (b is not what it was the last time and `c` holds).",
        ),
    ],
)
def test_a_condition_is_said_in_a_sentence(condition: str, sentence: str) -> None:
    assert explanation(check_condition(condition)) == sentence


@pytest.mark.parametrize(
    ("condition", "reason"),
    [
        ("loss >", "this is not Python"),
        ("loss = 3", "write == to compare"),
        ("print(1); x", "a condition is an expression"),
        ("tp.spik(loss)", "there is no tp.spik; did you mean tp.spike?"),
        ("tp.spike", "is not called: tp.spike(x, factor=8, window=50, warmup=20)"),
        ("tp.spike()", "x is missing: tp.spike(x, factor=8"),
        ("tp.spike(loss, facto=3)", "no 'facto', did you mean factor?"),
        ("tp.spike(loss, 1, factor=3)", "factor is given twice"),
        ("tp.every(1, 2)", "too many arguments: tp.every(n)"),
        ("tp.every(0)", "n of tp.every is at least 1"),
        ("tp.every(2.5)", "n of tp.every is a whole number"),
        ("tp.spike(loss, factor='a')", "factor of tp.spike is a number (spreads above the median)"),
        ("tp.outside(x, 3, 1)", "lo is above hi: 3 > 1"),
        ("tp.norm(w)", "tp.norm is no condition by itself; as in: tp.norm(w.grad) > 10"),
        ("ready and not tp.step()", "tp.step is no condition by itself"),
        ("tp.shape(x) != [64, 10]", "a shape is a tuple"),
        ("x\0", "this is not Python"),
        ("await loss", "this can't stand in a condition"),
        ("tp.spike((yield))", "this can't stand in a condition"),
        ("tp.every(1e400)", "n of tp.every is a whole number"),
        ("tp.spike(loss, window=1000000000)", "window of tp.spike is at most 10,000"),
    ],
)
def test_what_cannot_work_is_refused_with_the_reason(condition: str, reason: str) -> None:
    with pytest.raises(ConditionProblem) as problem:
        check_condition(condition)
    assert reason in str(problem.value)


@pytest.mark.parametrize(
    "condition",
    [
        *("loss > 3", "tp > 3", "any(tp > 1 for tp in xs)", "(lambda tp: tp.sum())(x)", "(tp := 3) > 2"),
        *(
            "tp.spike(*values)",
            "tp.spike(loss, **settings)",
            "any(tp.norm(p) > 1 for p in model.parameters())",
        ),
        *("tp.every(n)", "tp.outside(x, low, high)", "tp.step() % 100 == 0", "tp.rank() == 0", "  loss > 3 "),
        *("tp.dead(h, share=0.5)", "tp.spike(x, window=8, warmup=8)", "tp.after_step(0)"),
    ],
)
def test_what_may_work_is_not_refused(condition: str) -> None:
    check_condition(condition)


def test_a_reason_begins_with_a_capital_letter_unless_it_begins_with_code() -> None:
    assert ConditionProblem("this is so").sentence == "This is so"
    assert ConditionProblem("tp.norm is so").sentence == "tp.norm is so"


@pytest.mark.parametrize("info", FUNCTIONS, ids=lambda info: info.name)
def test_each_function_is_documented_with_an_example_that_works(info) -> None:
    assert info.help.endswith(".")
    if info.result == "text":
        check_log_message(info.example)
    else:
        assert f"tp.{info.name}(" in info.example
        assert explanation(check_condition(info.example)).startswith("Stops when ")
    assert all(argument.help for argument in info.arguments)
    if info.label:
        names = {"name": "x", "threshold": 3, **{a.name: a.default or 1 for a in info.arguments}}
        check_condition(info.template.format(**names))


def test_log_messages() -> None:
    check_log_message("loss {tp.line(loss)} at {tp.step()}, 5 % {x:}".replace(":}", "}"))
    assert expressions_of("a {b} c {{'k': d}} {}") == ["b", "{'k': d}"]
    for message, reason in [
        ("{loss", "a brace is not closed"),
        ("{tp.lin(loss)}", "did you mean tp.line?"),
        ("{loss +}", "in {loss +}: this is not Python"),
        ("{tp.line}", "is not called"),
    ]:
        with pytest.raises(ConditionProblem) as problem:
            check_log_message(message)
        assert reason in str(problem.value)


def outcome(condition: str) -> str:
    """The sentence, or the reason why there is none."""
    try:
        return explanation(check_condition(condition))
    except ConditionProblem as problem:
        return str(problem)


@given(st.text(max_size=60))
def test_any_text_is_understood_or_refused(text: str) -> None:
    assert outcome(text)
    try:
        parts = parts_of(text)
    except ConditionProblem:
        return
    rebuilt = "".join(f"{{{part}}}" if is_code else part for part, is_code in parts)
    assert rebuilt == text.replace("{}", "")


ARGUMENTS = st.lists(
    st.sampled_from(["x", "loss.item()", "3", "-2.5", "'a'", "[1]", "*v", "n=3", "x=y"]), max_size=4
)


@given(st.sampled_from([*BY_NAME, "nothing"]), ARGUMENTS)
def test_every_call_is_understood_or_refused(name: str, arguments: list[str]) -> None:
    assert outcome(f"tp.{name}({', '.join(arguments)}) == 1")


@given(st.floats(allow_nan=False) | st.integers())
def test_numbers_are_read_as_they_are_written(number: float) -> None:
    value = literal(ast.parse(repr(number), mode="eval").body)
    if value is not None:
        assert value == pytest.approx(float(number)) or abs(number) > 1e308
