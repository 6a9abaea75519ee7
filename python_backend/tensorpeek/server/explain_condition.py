"""What an edited condition does, why it can't work, and what could be written next."""

from __future__ import annotations

import ast
import re

from tensorpeek.catalogue.function_info import FunctionInfo
from tensorpeek.catalogue.functions import BY_NAME, FUNCTIONS
from tensorpeek.catalogue.line_condition import ConditionProblem, binds, check_condition, is_used, parse
from tensorpeek.catalogue.line_explanation import explanation
from tensorpeek.contract.messages import ConditionCompletion, ConditionExplanation
from tensorpeek.server.source import Source
from tensorpeek.server.training_breakpoints import FITTING, distance, fitting, statement_at
from tensorpeek.server.usage import Use, uses_in

MOST_COMPLETIONS = 20
FUNCTION_AT_END = re.compile(r"\btp\.(\w*)$")
WORD_AT_END = re.compile(r"(?<![\w.])([A-Za-z_]\w*)?$")
SETTING_AT_END = re.compile(r"\btp\.(\w+)\(([^()]*,\s*)(\w*)$")
VALUE_AT_END = re.compile(r"\btp\.(\w+)\(([\w.]*)$")


def explain_condition(text: str, source: Source | None, line: int) -> ConditionExplanation:
    """The answer to `tensorpeek/explainCondition`; without a source nothing is known of names."""
    uses = ordered_uses(source, line)
    problem, sentence = "", "Stops each time."
    if text.strip():
        try:
            tree = check_condition(text)
            sentence = explanation(tree) + remarks(tree, source, uses, line)
        except ConditionProblem as error:
            sentence = ""
            if not _is_users(text, source):
                problem = error.sentence
    return {
        "problem": problem,
        "explanation": sentence,
        "completions": completions(text, uses, line)[:MOST_COMPLETIONS],
    }


def _is_users(text: str, source: Source | None) -> bool:
    """Whether what is wrong with a call of `tp` may be right for one of the file's own."""
    try:
        tree = parse(text)
    except ConditionProblem:
        return False
    return is_used(tree) and source is not None and source.tree is not None and binds(source.tree)


def ordered_uses(source: Source | None, line: int) -> list[Use]:
    if source is None or source.tree is None:
        return []
    found = statement_at(source.tree, line + 1)
    if found is None:
        return []
    uses = uses_in(found[1], source.tree)
    return sorted(uses.values(), key=lambda use: distance(use, line + 1))


def remarks(tree: ast.Expression, source: Source | None, uses: list[Use], line: int) -> str:
    """What else is worth knowing of the names in it."""
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    late = [u.text for u in uses if u.text in names and line + 1 in u.bound and line + 1 not in u.lines]
    told = [f" `{name}` is given its value on this line, so the value before that is seen." for name in late]
    if is_used(tree) and source is not None and source.tree is not None and binds(source.tree):
        told.append(" The file has a `tp` of its own, which goes first where it has what is asked for.")
    return "".join(told)


def completions(text: str, uses: list[Use], line: int) -> list[ConditionCompletion]:
    """Whole texts, each with what could stand at the end."""
    for pattern, complete in (
        (SETTING_AT_END, _settings),
        (VALUE_AT_END, _values),
        (FUNCTION_AT_END, _functions),
        (WORD_AT_END, _words),
    ):
        match = pattern.search(text)
        if match is not None:
            return complete(text, match, uses, line)
    return []


def _functions(text: str, match: re.Match[str], uses: list[Use], line: int) -> list[ConditionCompletion]:
    before = text[: match.start()]
    return [
        _completion(before + call_of(info, uses, line), info.signature, info.help)
        for info in FUNCTIONS
        if info.name.startswith(match[1]) and info.result != "text"
    ]


def _words(text: str, match: re.Match[str], uses: list[Use], line: int) -> list[ConditionCompletion]:
    word = match[1] or ""
    before = text[: match.start()] if word else text
    if not word and text.strip() and not text.endswith((" ", "(")):
        return []
    names = [use for use in uses if use.text.startswith(word) and use.text != word] if word else []
    found = [_completion(before + use.text, use.text, _kind_text(use)) for use in names]
    infos = [
        i for i in FUNCTIONS if i.result != "text" and ("tp".startswith(word) or i.name.startswith(word))
    ]
    return found + [_completion(before + call_of(i, uses, line), i.signature, i.help) for i in infos]


def _values(text: str, match: re.Match[str], uses: list[Use], line: int) -> list[ConditionCompletion]:
    info = BY_NAME.get(match[1])
    if info is None or not info.arguments or not info.arguments[0].is_value:
        return []
    typed = match[2]
    before = text[: len(text) - len(typed)] if typed else text
    found = names_for(info, uses, line)
    more = [use.text for use in uses if use.text not in found]
    kinds = {use.text: _kind_text(use) for use in uses}
    names = [name for name in [*found, *more] if name.startswith(typed)]
    return [_completion(f"{before}{name})", name, kinds[name]) for name in names]


def _settings(text: str, match: re.Match[str], uses: list[Use], line: int) -> list[ConditionCompletion]:
    info = BY_NAME.get(match[1])
    if info is None:
        return []
    typed = match[3]
    before = text[: len(text) - len(typed)] if typed else text
    return [
        _completion(f"{before}{each.name}={each.default:g})", f"{each.name}={each.default:g}", each.help)
        for each in info.settings
        if each.default is not None and each.name.startswith(typed) and f"{each.name}=" not in match[2]
    ]


def call_of(info: FunctionInfo, uses: list[Use], line: int) -> str:
    """A call that works at that line, as far as can be seen."""
    names = names_for(info, uses, line)
    if not info.arguments or not info.arguments[0].is_value:
        return info.example.partition(" and ")[0]
    name = names[0] if names else "x"
    rest = ", 0, 1" if info.name == "outside" else ""
    compared = {"number": " > 10", "shape": " != (64, 10)"}.get(info.result, "")
    return f"tp.{info.name}({name}{rest}){compared}"


def names_for(info: FunctionInfo, uses: list[Use], line: int) -> list[str]:
    return fitting(FITTING.get(info.name, ("tensor", "gradient", "loss", "scalar", "module")), uses, line + 1)


def _kind_text(use: Use) -> str:
    return "" if use.kind == "other" else use.kind


def _completion(text: str, label: str, detail: str) -> ConditionCompletion:
    return {"text": text, "label": label, "detail": detail}
