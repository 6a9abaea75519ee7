from __future__ import annotations

import collections
import dataclasses
import datetime
import enum
import pathlib
from typing import NamedTuple

import numpy as np
import pytest
import torch

from tensorpeek.probe.kinds.container import survey


@dataclasses.dataclass
class Output:
    loss: torch.Tensor
    logits: torch.Tensor
    note: str = "hi"


class ModelOutput(collections.OrderedDict):
    """As Hugging Face's: an ordered dict that can be indexed like a tuple, too."""

    def __getitem__(self, key):
        return super().__getitem__(key) if isinstance(key, str) else tuple(self.values())[key]


class Pair(NamedTuple):
    x: torch.Tensor
    y: int


X, Y = torch.ones(64, 10), torch.arange(64)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"x": X, "y": Y}, "{x: f32[64,10], y: i64[64]} 3.07 KB"),
        ([X, X.clone(), X.clone()], "[3× f32[64,10]] 7.68 KB"),
        ((X, 3, "name", None, True), "(f32[64,10], 3, 'name', None, True) 2.56 KB"),
        (Output(torch.tensor(0.5), X), "Output(loss: f32 0.5, logits: f32[64,10], note: 'hi') 2.56 KB"),
        (ModelOutput(loss=torch.tensor(2.0), h=X), "ModelOutput(loss: f32 2, h: f32[64,10]) 2.56 KB"),
        (Pair(X, 3), "Pair(x: f32[64,10], y: 3) 2.56 KB"),
        (collections.deque([X], maxlen=3), "deque(f32[64,10]) 2.56 KB"),
        (collections.UserDict(ids=Y), "UserDict(ids: i64[64]) 512 B"),
        (collections.defaultdict(list, a=[X]), "defaultdict(a: [f32[64,10]]) 2.56 KB"),
        ({(1, 2): X}, "{(1, 2): f32[64,10]} 2.56 KB"),
        ([torch.nn.ReLU()], "[ReLU]"),
    ],
)
def test_says_what_is_inside_and_how_many_bytes(say, value, text):
    assert say(value) == text


@pytest.mark.parametrize(
    "value", [[], [1, 2], {}, {"a": [1, "b"]}, (1.5,), {1, 2}, [[], {}], [1] * 1_000_000]
)
def test_plain_containers_keep_their_ordinary_text(say, value):
    assert say(value) == "ordinary"


def test_the_worst_of_what_is_inside_comes_first_with_its_place(answers):
    nan, inf = X.clone(), X.clone()
    nan[1, 2], inf[0, 0] = float("nan"), float("inf")
    line = answers.first({"good": X, "deep": [{"i": inf, "n": nan}]})
    assert line["alarm"] == "NaN 1"
    assert line["text"].startswith("NaN 1 in ['deep'][0]['n'] {good: f32[64,10]")


def test_zeros_inside_a_batch_are_no_alarm(answers):
    assert "alarm" not in answers.first({"token_type_ids": torch.zeros(4, 8), "x": X})


def test_a_tensor_held_twice_is_counted_once():
    assert survey([X, X, {"again": X}]).bytes == X.nbytes


def test_a_container_in_itself_ends(say):
    loop = [X]
    loop.append(loop)
    assert say(loop).startswith("[f32[64,10], [")


def test_many_parts_are_named_up_to_a_few_and_counted(say):
    text = say({f"k{i}": torch.ones(i + 1) for i in range(500)})
    assert text.startswith("{k0: f32[1], k1: f32[2]")
    assert "… 500 in all}" in text
    assert "≥" in text


def test_long_lists_open_in_groups_of_groups(children, reached):
    values = list(range(1_000_000))
    groups = children(values)
    assert list(groups)[:2] == ["[0…9999]", "[10000…19999]"]
    assert len(groups) == 101
    inner = children(groups["[20000…29999]"].value)
    rows = children(inner["[20100…20199]"].value)
    assert rows["[20107]"].value == 20107
    assert reached(rows["[20107]"], values) == 20107


@pytest.mark.parametrize(
    "value",
    [
        {f"key{i}": i for i in range(300)},
        {(i, "k"): i for i in range(300)},
        {float(i): i for i in range(300)},
        {object(): i for i in range(300)},
        set(range(300)),
        frozenset(range(300)),
        collections.deque(range(300)),
        tuple(range(300)),
    ],
)
def test_every_row_of_a_long_container_has_an_expression_that_yields_it(children, reached, value):
    groups = [row for row in children(value).values() if row.name.startswith("[")]
    rows = [row for group in groups for row in children(group.value).values()]
    assert len(rows) == 300
    for row in rows[::37]:
        assert reached(row, value) is row.value


def test_fields_are_rows_by_name(children, reached):
    for value in (Output(torch.tensor(0.5), X), Pair(X, 3)):
        rows = children(value)
        for name in ("loss", "logits", "note") if isinstance(value, Output) else ("x", "y"):
            assert reached(rows[name], value) is rows[name].value


@pytest.mark.parametrize(
    "value",
    [
        [X, 2],
        (X, 2),
        {"a": X, ("b", 1): 2},
        collections.deque([X, 2]),
        collections.OrderedDict(a=X, b=2),
        collections.UserList([X, 2]),
        collections.UserDict(a=X, b=2),
        torch.Size([64, 10]),
    ],
)
def test_items_come_first_and_their_number_last(children, reached, value):
    rows = children(value)
    names = list(rows)
    assert names[2:] in (["len()"], ["len()", "all attributes"])
    for name in names[:3]:
        assert reached(rows[name], value) is rows[name].value


class Colour(enum.Enum):
    RED = 1


class Loud(enum.Enum):
    RED = 1

    def __repr__(self):
        raise AssertionError("the class's code was run")


class OwnPath(pathlib.PurePosixPath):
    __repr__ = Loud.__repr__


@pytest.mark.parametrize(
    ("key", "name"),
    [
        (torch.float32, "torch.float32"),
        (torch.device("cpu"), "device(type='cpu')"),
        (np.int64(3), "np.int64(3)"),
        (pathlib.PurePosixPath("/a"), "PurePosixPath('/a')"),
        (datetime.date(2026, 1, 2), "datetime.date(2026, 1, 2)"),
        (Colour.RED, "<Colour.RED: 1>"),
        ((1, Colour.RED), "(1, <Colour.RED: 1>)"),
        (Loud.RED, "Loud key 0"),
        (OwnPath("/a"), "OwnPath key 0"),
    ],
)
def test_a_key_is_called_by_its_text_where_that_runs_nobodys_code(children, reached, key, name):
    row = next(iter(children({key: X}).values()))
    assert row.name == name
    assert reached(row, {key: X}) is X


def test_empty_containers_say_their_length(children):
    assert [(row.name, row.value) for row in children([]).values()] == [("len()", 0)]


def test_numbers_of_few_items_have_one_width(children):
    assert list(children([0] * 11))[-3:] == ["09", "10", "len()"]


def test_rows_run_no_code_of_a_subclass(children):
    class Hostile(list):
        def __len__(self):
            raise AssertionError("the class's code was run")

        __iter__ = __getitem__ = __len__

    assert list(children(Hostile([X]))) == ["0", "len()", "all attributes"]
