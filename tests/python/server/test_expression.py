"""What is evaluated for each place of the pointer. `¦` marks the pointer and is no part of the text."""

import ast

import pytest

from tensorpeek.server.expression import evaluatable_expression
from tensorpeek.server.source import Source

POINTER = "¦"


def at_pointer(marked: str) -> tuple[str, str] | None:
    """The expression for the pointer, and the text at the range that is returned with it."""
    before, after = marked.split(POINTER)
    source = Source(before + after)
    answer = evaluatable_expression(source, *source.position_of_offset(len(before)))
    if answer is None:
        return None
    start = source.offset_of_position(answer["startLine"], answer["startCharacter"])
    end = source.offset_of_position(answer["endLine"], answer["endCharacter"])
    return answer["expression"], source.text[start:end]


def expression(marked: str) -> str | None:
    found = at_pointer(marked)
    if found is None:
        return None
    assert found[0] == found[1], "the expression is what stands at the range"
    return found[0]


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("sel¦f.fc.weight", "self"),
        ("self.¦fc.weight", "self.fc"),
        ("self.fc¦.weight", "self.fc"),
        ("self.fc.wei¦ght", "self.fc.weight"),
        ("self.fc.weight¦", "self.fc.weight"),
        ("loss = self.con¦v(x).mean()", "self.conv"),
        ("for im¦ages, labels in loader: pass", "images"),
        ("for images, labels in load¦er: pass", "loader"),
        ("x: Tens¦or = y", "Tensor"),
        ("del mod¦el", "model"),
        ("@torch.no_gra¦d()\ndef f(): pass", "torch.no_grad"),
        ("@jit\nclass A(nn.Mod¦ule): pass", "nn.Module"),
        ("with autocast() as ctx¦: pass", "ctx"),
        ("y = await¦ x", None),
        ("y = await x¦", "x"),
        ("y = x if tr¦aining else z", "training"),
        ("y = x i¦f training else z", None),
    ],
)
def test_names_and_attributes(marked: str, expected: str | None) -> None:
    assert expression(marked) == expected


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ('bat¦ch["x"]', "batch"),
        ('batch[¦"x"]', 'batch["x"]'),
        ('batch["¦x"]', 'batch["x"]'),
        ('batch["x"]¦', 'batch["x"]'),
        ('batch["x"].sh¦ape', 'batch["x"].shape'),
        ("x[¦-1]", "x[-1]"),
        ("x[1:¦2, :]", "x[1:2, :]"),
        ("x[..., ¦0]", "x[..., 0]"),
        ("x[[0¦, 1]]", "x[[0, 1]]"),
        ("x[i¦]", "i"),
        ("x[i ¦+ 1]", "i + 1"),
        ("x[i + 1]¦", "x[i + 1]"),
        ("x[i + 1¦]", None),
        ("x[f¦()]", "f"),
        ("x[f()]¦", None),
        ("x[(n := 1)]¦", None),
        ("[1, ¦2]", None),
    ],
)
def test_subscripts(marked: str, expected: str | None) -> None:
    assert expression(marked) == expected


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("c = a ¦@ b", "a @ b"),
        ("c = a¦ @ b", "a"),
        ("c = (a + b) ¦* c", "(a + b) * c"),
        ("c = a ¦+ f(b)", None),
        ("c = ¦-x", "-x"),
        ("c = -¦x", "x"),
        ("c = ¦~ mask", "~ mask"),
        ("c = a ¦> b", "a > b"),
        ("c = a ¦in b", None),
        ("c = a n¦ot in b", None),
        ("c = a a¦nd b", None),
        ("c ¦+= b", None),
        ("c = ¦5 + x", None),
        ("c = (a )¦+ b", "(a )+ b"),
        ("c = (a  # note ¦+ x\n + b)", None),
    ],
)
def test_operators_only_under_the_pointer(marked: str, expected: str | None) -> None:
    assert expression(marked) == expected


@pytest.mark.parametrize(
    "marked",
    [
        "model(x).sha¦pe",
        "y = x.mean()¦",
        "y = x.mean(¦)",
        "y = (await x).sha¦pe",
        "y = (yield x).sha¦pe",
        "y = (n := x).sha¦pe",
        "y = (lambda: x).sha¦pe",
        "y = [p for p in ps][0].sha¦pe",
        "y = (x in it).sha¦pe",
        "y = x[f'{z}'].sha¦pe",
        "y = x[*z].sha¦pe",
    ],
)
def test_never_a_call_nor_what_else_runs_code(marked: str) -> None:
    assert expression(marked) is None


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("SGD(params, l¦r=rate)", None),
        ("SGD(params, lr=ra¦te)", "rate"),
        ("def forw¦ard(self, x): pass", None),
        ("class Ne¦t: pass", None),
        ("def forward(self, x¦: Tensor = None): pass", "x"),
        ("def forward(self, x: Tens¦or = None): pass", "Tensor"),
        ("def forward(self, *ar¦gs, **kwargs): pass", "args"),
        ("import torch.n¦n", "torch.nn"),
        ("import tor¦ch.nn", "torch"),
        ("import torch.nn as n¦n", "nn"),
        ("import torch.n¦n as nn", None),
        ("from to¦rch import nn", None),
        ("from torch import n¦n", "nn"),
        ("from torch import nn¦ as layers", None),
        ("from torch import *¦", None),
        ("def f():\n global ste¦p", "step"),
        ("def f():\n glo¦bal step", None),
        ("try: pass\nexcept ValueError as err¦or: pass", "error"),
        ("match x:\n case Point(x=a¦): pass", "a"),
        ("match x:\n case Point(x¦=a): pass", None),
        ("match x:\n case {**re¦st}: pass", "rest"),
        ("match x:\n case [*re¦st]: pass", "rest"),
    ],
)
def test_names_where_they_are_bound(marked: str, expected: str | None) -> None:
    assert expression(marked) == expected


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("[p.sha¦pe for p in params]", None),
        ("[p.shape for p in par¦ams]", "params"),
        ("{k: sca¦le for k in params}", "scale"),
        ("sorted(xs, key=lambda q: q¦.n)", None),
        ("sorted(xs, key=lambda q: q.n + off¦set)", "offset"),
        ("sorted(xs, key=lambda q¦: q.n)", None),
    ],
)
def test_names_that_the_frame_does_not_have(marked: str, expected: str | None) -> None:
    assert expression(marked) == expected


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("# the lo¦ss", None),
        ("x = 1  # the lo¦ss", None),
        ("x = '# ' + los¦s", "loss"),
        ("x = 'los¦s'", None),
        ('"""\nlos¦s # x\n"""', None),
        ('f"{los¦s:.3f} lr"', "loss"),
        ('f"{loss:.3f} l¦r"', None),
        ('f"{loss:.{dig¦its}f}"', "digits"),
        ('f"{loss:.¦3f}"', None),
        ('f"{los¦s=}"', "loss"),
        ('f"{ los¦s = !r:>{w}}"', "loss"),
        ('f"{a != b¦}"', "b"),
        ("f\"{batch['x¦']} {{batch}}\"", "batch['x']"),
        ('f"{{batch¦}}"', None),
        ('f"a" "b" f"{self.l¦r}"', "self.lr"),
        ('rf"\\{x¦}"', "x"),
        ('f"\\N{DASH} {x¦}"', "x"),
        ('f"\\N{DA¦SH}"', None),
        ('f"""\n{\n  self.fc.wei¦ght\n}"""', "self.fc.weight"),
        ("f\"{f'{in¦ner}'}\"", "inner"),
        ('f"{model(x).sha¦pe}"', None),
        ('f"{[p¦ for p in ps]}"', None),
        ("[f'{p¦}' for p in ps]", None),
        ('b"los¦s"', None),
    ],
)
def test_strings_comments_and_fields(marked: str, expected: str | None) -> None:
    assert expression(marked) == expected


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("s = '😀😀'; y = weights.da¦ta", "weights.data"),
        ("größe = 𝒳.fo¦rm", "𝒳.form"),
        ("y = f'😀{größ¦e}'", "größe"),
        ("x\x0c = 1\ny¦ = 2", "y"),
        ("x = '\u2028'\ny¦ = 2", "y"),
        ("x = 1\r\ny.fo¦o = 2\r\n", "y.foo"),
        ("x = 1\ry¦ = 2\r", "y"),
        ("print('😀', sel¦f.x", "self"),
        ("print('😀', self.fc[0].we¦ight", "self.fc[0].weight"),
    ],
)
def test_characters_of_every_width(marked: str, expected: str) -> None:
    assert expression(marked) == expected


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("print(los¦s", "loss"),
        ("y = model(self.fc.wei¦ght", "self.fc.weight"),
        ("y = model(batch[¦'x'][0].", "batch['x']"),
        ("y = model(batch['x'][¦0].", "batch['x'][0]"),
        ("y = batch['x'].sha¦pe + (", "batch['x'].shape"),
        ("y = self¦. + (", "self"),
        ("y = self.¦fc. + (", "self.fc"),
        ("y = model(x).sha¦pe + (", None),
        ("y = x[f(0)].sha¦pe + (", None),
        ("y = SGD(l¦r=0.1", None),
        ("y = (a ==¦ b", None),
        ("y = (a¦ == b", "a"),
        ("def forw¦ard(self", None),
        ("wh¦ile x", None),
        ("y = ( # los¦s", None),
        ("y = ('los¦s'", None),
        ("y = (f'{los¦s:.3f}'", "loss"),
        ("y = [¦1, 2", None),
        ("y = [1, ¦2] + (", None),
        ("y = 5.re¦al + (", None),
        ("(\n\n¦\n", None),
    ],
)
def test_while_the_text_does_not_parse(marked: str, expected: str | None) -> None:
    assert expression(marked) == expected


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("class Net:\n def f(self): self.__we¦ight", "self._Net__weight"),
        ("class _Net:\n def f(self): return self.__w.sha¦pe", "self._Net__w.shape"),
        ("class Net:\n def f(self): return f'{self.__w¦}'", "self._Net__w"),
        ("class Net:\n def f(self): self.__dict__¦", "self.__dict__"),
        ("class __:\n def f(self): self.__w¦", "self.__w"),
        ("self.__w¦", "self.__w"),
        ("class Net:\n def f(self, __x¦): pass", "_Net__x"),
        ("x = (a +\n  b) ¦* c", "(a + b) * c"),
        ("x = y[\n  'a'¦\n]", "y['a']"),
    ],
)
def test_an_expression_that_differs_from_its_text(marked: str, expected: str) -> None:
    found = at_pointer(marked)
    assert found is not None
    assert found[0] == expected
    ast.parse(found[0], mode="eval")


@pytest.mark.parametrize("text", ["", "\0", "x = '\ud83d'", "(" * 5000, "\ufeffx = 1"])
@pytest.mark.parametrize(("line", "character"), [(0, 0), (0, 10**9), (10**9, 0), (-1, -1)])
def test_hostile_texts_and_positions_have_an_answer(text: str, line: int, character: int) -> None:
    evaluatable_expression(Source(text), line, character)


def test_a_version_of_a_text_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    parse = ast.parse
    monkeypatch.setattr(ast, "parse", lambda text: parsed.append(text) or parse(text))
    source = Source("y = self.fc.weight\n" * 2000)
    for line in range(0, 2000, 100):
        assert evaluatable_expression(source, line, 9) is not None
    assert parsed == [source.text]


def selected(marked: str) -> str | None:
    """The expression for the selection, which lies between two pointers."""
    before, selection, after = marked.split(POINTER)
    source = Source(before + selection + after)
    end = source.position_of_offset(len(before + selection))
    answer = evaluatable_expression(source, *source.position_of_offset(len(before)), end)
    return None if answer is None else answer["expression"]


@pytest.mark.parametrize(
    "text",
    [
        "a @ b",
        'batch["x"]',
        "self.fc.weight.T",
        "(a + b) * 2",
        "x[:, 1]",
        "a == b",
        "not done",
        "x <= y != z",
    ],
)
def test_a_selection_without_a_call_is_evaluated_as_it_stands(text: str) -> None:
    assert selected(f"loss = ¦{text}¦\n") == text
    assert selected(f"loss = (¦ {text} ¦\n") == text, "even while the text around it is not finished"


@pytest.mark.parametrize(
    "text",
    [
        *("optimizer.step()", "f (x)", "x[0](y)", "cafe\u0301(1)", "x\u203f(1)"),
        *("a = b", "(a := b)", "x += 1", "await x", "import os", "lambda: x", "[y for y in x]"),
        *("x in it", 'f"{x}"', 'f"{run()}"', "a\nb", "  ", "", "a +", "a) + (b"),
    ],
)
def test_a_selection_that_calls_or_consumes_or_is_no_expression_is_not(text: str) -> None:
    assert selected(f"¦{text}¦\n") is None


def test_a_selection_over_lines_becomes_one_line() -> None:
    assert selected("y = (¦a +\n     b¦)\n") == "a + b"


def test_names_in_a_selection_mean_what_they_mean_there() -> None:
    assert selected("class Net:\n    def f(self): return ¦self.__w + 1¦\n") == "self._Net__w + 1"
    assert selected("y = [¦x + 1¦ for x in z]\n") is None
