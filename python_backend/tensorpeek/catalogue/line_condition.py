"""Reads a line condition or log message that calls `tp`: what it calls, and whether that can work.

Nothing is evaluated. The names in it are the program's, and not looked at.
"""

from __future__ import annotations

import ast
import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches

from tensorpeek.catalogue.function_info import Argument, FunctionInfo
from tensorpeek.catalogue.functions import BY_NAME, FUNCTIONS

TP = "tp"
"""The name by which conditions call the functions."""


class ConditionProblem(ValueError):
    """Why the text can never work, for the user."""

    @property
    def sentence(self) -> str:
        """With a capital letter, except where the text begins with code."""
        text = str(self)
        return text if text.startswith((f"{TP}.", "lo ")) else text[:1].upper() + text[1:]


@dataclass
class Call:
    """A call of a function of `tp`, its arguments by the names of the catalogue."""

    info: FunctionInfo
    node: ast.Call
    given: dict[str, list[ast.expr]]


def parse(text: str) -> ast.Expression:
    """The syntax tree of a condition. Raises ConditionProblem where it is no expression."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text.strip(), mode="eval")
            _check_compiles(tree)
            return tree
    except SyntaxError as error:
        raise ConditionProblem(_syntax_problem(text, error)) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise ConditionProblem(f"this is not Python: {error}") from None


def _check_compiles(tree: ast.Expression) -> None:
    """`await x` and `(yield)` are well formed, and can't stand alone."""
    try:
        compile(tree, "<condition>", "eval")
    except SyntaxError as error:
        raise ConditionProblem(f"this can't stand in a condition: {error.msg}") from None


def _syntax_problem(text: str, error: SyntaxError) -> str:
    try:
        ast.parse(text.strip())
    except SyntaxError:
        where = f" at column {error.offset}" if error.offset and "\n" not in text else ""
        return f"this is not Python{where}: {error.msg}"
    return "a condition is an expression, as in `loss > 3`; write == to compare"


def is_used(tree: ast.AST) -> bool:
    """Whether an attribute of `tp` is asked for, and `tp` is not bound by the expression itself."""
    return not binds(tree) and any(_names_function(node) for node in ast.walk(tree))


def binds(tree: ast.AST) -> bool:
    """Whether the code gives the name `tp` a meaning of its own."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == TP and isinstance(node.ctx, ast.Store):
            return True
        if isinstance(node, ast.arg) and node.arg == TP:
            return True
        if isinstance(node, ast.alias) and (node.asname or node.name.partition(".")[0]) == TP:
            return True
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and node.name == TP:
            return True
    return False


def calls(tree: ast.AST) -> list[Call]:
    """Every call of `tp`, in the order of the text. Raises ConditionProblem for one that can't work."""
    return [checked(node) for node in ast.walk(tree) if isinstance(node, ast.Call) and _is_call(node)]


def check_condition(text: str) -> ast.Expression:
    """Raises ConditionProblem, also for a call of `tp` that is no condition but a number."""
    tree = parse(text)
    if not is_used(tree):
        return tree
    calls(tree)
    _check_uncalled(tree)
    for part in _truths(tree.body):
        if isinstance(part, ast.Call) and _is_call(part):
            info = BY_NAME[_function_name(part)]
            if info.result != "truth":
                raise ConditionProblem(f"tp.{info.name} is no condition by itself; as in: {info.example}")
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            _check_comparison(node)
    return tree


def check_log_message(text: str) -> None:
    """Raises ConditionProblem for a log message whose `{…}` can't be compiled or misuse `tp`."""
    for expression in expressions_of(text):
        _check_logged(expression)


def _check_logged(expression: str) -> None:
    try:
        tree = parse(expression)
        if is_used(tree):
            calls(tree)
            _check_uncalled(tree)
    except ConditionProblem as problem:
        raise ConditionProblem(f"in {{{expression}}}: {problem}") from None


def expressions_of(message: str) -> list[str]:
    """What stands between the outermost braces, as debugpy takes a log message apart."""
    return [part for part, is_expression in parts_of(message) if is_expression]


def parts_of(message: str) -> list[tuple[str, bool]]:
    """The pieces of a log message, and whether each is an expression. Raises ConditionProblem."""
    found: list[tuple[str, bool]] = []
    depth, start = 0, 0
    for index, character in enumerate(message):
        if character == "{":
            depth += 1
            if depth == 1:
                found.append((message[start:index], False))
                start = index + 1
        elif character == "}" and depth:
            depth -= 1
            if not depth:
                found.append((message[start:index], True))
                start = index + 1
    if depth:
        raise ConditionProblem("a brace is not closed")
    found.append((message[start:], False))
    return [(part, is_expression) for part, is_expression in found if part]


def checked(node: ast.Call) -> Call:
    """Its arguments by name. Raises ConditionProblem."""
    info = _known(_function_name(node))
    call = Call(info, node, _bound(info, node))
    for argument in info.settings:
        for value in call.given.get(argument.name, []):
            _check_number(info, argument, value)
    _check_window(call)
    return call


def _known(name: str) -> FunctionInfo:
    info = BY_NAME.get(name)
    if info is None:
        close = get_close_matches(name, list(BY_NAME), 1)
        hint = f"did you mean tp.{close[0]}?" if close else f"it has {', '.join(i.name for i in FUNCTIONS)}"
        raise ConditionProblem(f"there is no tp.{name}; {hint}")
    return info


def _bound(info: FunctionInfo, node: ast.Call) -> dict[str, list[ast.expr]]:
    given: dict[str, list[ast.expr]] = {}
    open_ended = any(isinstance(value, ast.Starred) for value in node.args)
    arguments = list(info.arguments)
    for position, value in enumerate(node.args):
        if arguments and arguments[0].many:
            given.setdefault(arguments[0].name, []).append(value)
        elif position < len(arguments):
            given[arguments[position].name] = [value]
        elif not open_ended:
            raise ConditionProblem(f"too many arguments: {info.signature}")
    for keyword in node.keywords:
        if keyword.arg is None:
            open_ended = True
            continue
        if keyword.arg not in {argument.name for argument in arguments if not argument.many}:
            close = get_close_matches(keyword.arg, [argument.name for argument in arguments], 1)
            hint = f", did you mean {close[0]}?" if close else ":"
            raise ConditionProblem(f"tp.{info.name} has no {keyword.arg!r}{hint} {info.signature}")
        if keyword.arg in given:
            raise ConditionProblem(f"{keyword.arg} is given twice: {info.signature}")
        given[keyword.arg] = [keyword.value]
    missing = [a.name for a in arguments if a.default is None and a.name not in given]
    if missing and not open_ended:
        raise ConditionProblem(f"{missing[0]} is missing: {info.signature}")
    return given


def _check_number(info: FunctionInfo, argument: Argument, node: ast.expr) -> None:
    """Literals only; what is computed shows when it runs."""
    value = literal(node)
    if value is None:
        if isinstance(node, (ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.Set)):
            raise ConditionProblem(f"{argument.name} of tp.{info.name} is a number ({argument.help})")
        return
    if math.isnan(value) or (argument.is_whole and (math.isinf(value) or value != int(value))):
        raise ConditionProblem(f"{argument.name} of tp.{info.name} is a whole number ({argument.help})")
    if argument.least is not None and value < argument.least:
        raise ConditionProblem(f"{argument.name} of tp.{info.name} is at least {argument.least:g}")
    if argument.most is not None and value > argument.most:
        raise ConditionProblem(f"{argument.name} of tp.{info.name} is at most {argument.most:,}")


def _check_window(call: Call) -> None:
    """Two settings that contradict each other."""
    numbers = {name: literal(values[0]) for name, values in call.given.items()}
    low, high = numbers.get("lo"), numbers.get("hi")
    if low is not None and high is not None and low > high:
        raise ConditionProblem(f"lo is above hi: {low:g} > {high:g}")


def _check_comparison(node: ast.Compare) -> None:
    sides = [node.left, *node.comparators]
    is_shape = any(_is_call(side) and _function_name(side) == "shape" for side in sides)
    if is_shape and any(isinstance(side, ast.List) for side in sides):
        raise ConditionProblem("a shape is a tuple, as in: tp.shape(x) != (64, 10)")


def _check_uncalled(tree: ast.AST) -> None:
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and _names_function(node) and id(node) not in called:
            info = _known(node.attr)
            raise ConditionProblem(f"tp.{node.attr} is a function and is not called: {info.signature}")


def _truths(node: ast.expr) -> Iterator[ast.expr]:
    """The parts whose truth alone decides."""
    if isinstance(node, ast.BoolOp):
        for part in node.values:
            yield from _truths(part)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield from _truths(node.operand)
    else:
        yield node


def literal(node: ast.expr) -> float | None:
    """The number that is written there, None for anything else."""
    sign = 1.0
    while isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        sign = -sign if isinstance(node.op, ast.USub) else sign
        node = node.operand
    if not isinstance(node, ast.Constant) or isinstance(node.value, bool):
        return None
    try:
        return sign * float(node.value) if isinstance(node.value, (int, float)) else None
    except OverflowError:
        return sign * math.inf


def _names_function(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == TP


def _is_call(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and _names_function(node.func)


def _function_name(node: ast.AST) -> str:
    function = node.func if isinstance(node, ast.Call) else node
    return function.attr if isinstance(function, ast.Attribute) else ""
