"""The ways to run a step again, the most faithful first.

The user's own statements from the call of the model to the backward pass, in the frame that is still there;
the user's function, where its frame is over; the model alone.
"""

from __future__ import annotations

import ast
import builtins
import gc
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType, FrameType, FunctionType
from typing import Any

from tensorpeek.probe.replay.givens import bad_tensors_in
from tensorpeek.probe.replay.names import read_first, written
from tensorpeek.probe.replay.region import Region, calls_backward, path_to, region, region_to_backward
from tensorpeek.probe.replay.rerun import Rerun
from tensorpeek.probe.replay.rewrite import LEFT, compiled
from tensorpeek.probe.replay.source import Function, function_of
from tensorpeek.probe.replay.watch import Watch
from tensorpeek.probe.training.places import line_at
from tensorpeek.probe.training.step_record import StepRecord

_MODES = frozenset({"autocast", "amp", "sdpa_kernel", "enable_grad", "set_grad_enabled"})
"""Words in the `with` statements that change what ops do, and nothing else."""
_RERUNNABLE = (ast.Assign, ast.AnnAssign, ast.AugAssign)


@dataclass
class Plan:
    record: StepRecord

    @property
    def is_faithful(self) -> bool:
        """Whether it runs everything that makes the loss."""
        return True

    def run(self, rerun: Rerun) -> Any:
        """Runs the step; returns what may hold its loss, if there was no backward pass in it."""
        raise NotImplementedError


@dataclass
class Statements(Plan):
    """The statements of a live frame are executed again."""

    frame: FrameType
    function: Function
    region: Region
    after_backward: bool

    def run(self, rerun: Rerun) -> Any:
        names = self._names()
        rerun.outcome.names = names
        if self.after_backward:
            self._detach(names)
        self._remake(names, rerun.watch)
        managers = [manager for item in self.region.withs() for manager in self._manager(item, names)]
        for manager in managers:
            manager.__enter__()
        self._execute(self.region.statements, names)

    def _names(self) -> dict[str, Any]:
        kept = self.record.arguments if self.frame.f_code is self.record.code else {}
        if self.frame.f_code.co_name == "<module>":
            self.frame.f_globals.update(kept)
            return self.frame.f_globals
        return {**self.frame.f_globals, **self.frame.f_locals, **kept}

    def _detach(self, names: dict[str, Any]) -> None:
        """The graph behind what the step began with was given up in the real backward pass."""
        for name in self.region.reads:
            if getattr(names.get(name), "grad_fn", None) is not None:
                names[name] = names[name].detach().requires_grad_()

    def _remake(self, names: dict[str, Any], watch: Watch) -> None:
        """Runs the statements above that made what is not finite; puts back what they now make otherwise."""
        for maker in self._makers(names, watch):
            before = {name: names[name] for name in written([maker]) if name in names}
            self._execute([maker], names)
            with watch.paused():
                for name, value in before.items():
                    if bad_tensors_in(value, name) and not bad_tensors_in(names[name], name):
                        names[name] = value

    def _makers(self, names: dict[str, Any], watch: Watch) -> list[ast.stmt]:
        """The statements above that made a value which is not finite, and can be run again; in order."""
        makers: list[ast.stmt] = []
        reads = self.region.reads
        for name in reads:
            with watch.paused():
                if name not in names or not bad_tensors_in(names[name], name):
                    continue
            maker = self.region.maker_of(name)
            if maker is None or maker in makers:
                continue
            sources = read_first([maker])
            if isinstance(maker, _RERUNNABLE) and not set(sources) & self._written_since(maker):
                makers.append(maker)
                reads += [source for source in sources if source not in reads]
        return sorted(makers, key=lambda statement: statement.lineno)

    def _written_since(self, maker: ast.stmt) -> set[str]:
        """The names that have got another value since the statement was executed."""
        found = written([maker])
        for spot in self.region.path:
            later = [one for one in spot.body if maker.lineno < one.lineno < self.region.statements[0].lineno]
            found |= written(later)
        return found

    def _manager(self, item: ast.withitem, names: dict[str, Any]) -> Iterator[Any]:
        """A context manager of torch's that the statements stand in, as `autocast`; of others, none."""
        nodes = list(ast.walk(item.context_expr))
        words = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
        words |= {node.id for node in nodes if isinstance(node, ast.Name)}
        if words & _MODES:
            code = compile(ast.Expression(item.context_expr), self.frame.f_code.co_filename, "eval")
            manager = eval(code, names)  # noqa: S307 - the user's own expression
            if type(manager).__module__.startswith("torch"):
                yield manager

    def _execute(self, statements: list[ast.stmt], names: dict[str, Any]) -> None:
        names.setdefault("__builtins__", builtins)
        names[LEFT] = RuntimeError
        code = self.frame.f_code
        first = code.co_varnames[0] if code.co_argcount else ""
        exec(compiled(statements, code.co_filename, self.function.class_name, first), names)  # noqa: S102


@dataclass
class Call(Plan):
    """The user's function is called again with the arguments that it had."""

    code: CodeType

    def run(self, rerun: Rerun) -> Any:
        function = next(one for one in gc.get_referrers(self.code) if isinstance(one, FunctionType))
        given = self.record.arguments
        code = self.code
        positional = list(code.co_varnames[: code.co_argcount])
        named = list(code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount])
        rest = list(code.co_varnames[code.co_argcount + code.co_kwonlyargcount :])
        more = given[rest.pop(0)] if code.co_flags & 0x04 else ()
        others = given[rest.pop(0)] if code.co_flags & 0x08 else {}
        rerun.outcome.names = dict(given)
        return function(*[given[n] for n in positional], *more, **{n: given[n] for n in named}, **others)


@dataclass
class Model(Plan):
    """The model is called again with its batch; what the user computed of its output is not."""

    @property
    def is_faithful(self) -> bool:
        return False

    def run(self, rerun: Rerun) -> Any:
        return self.record.module(*self.record.args, **self.record.kwargs)


def plans_for(record: StepRecord, phase: str) -> Iterator[Plan]:
    statements = _statements(record, phase)
    if statements is not None:
        yield statements
    code = record.code
    if code is not None and record.arguments and code.co_name != "<module>" and not _is_live(record, code):
        function = function_of(code)
        if function is not None and set(function.parameters) <= set(record.arguments):
            yield Call(record, code)
    if record.module is not None:
        yield Model(record)


def _statements(record: StepRecord, phase: str) -> Statements | None:
    lines = dict(_lines_by_code(record))
    frame = record.frame
    while frame is not None and frame.f_code not in lines:
        frame = frame.f_back
    function = function_of(frame.f_code) if frame is not None else None
    if frame is None or function is None:
        return None
    line = lines[frame.f_code]
    found = region_to_backward(function, line)
    if found is None or (phase == "forward" and not found.covers(frame.f_lineno)):
        found = (
            None
            if _is_whole_training(function, line, frame.f_lineno)
            else region(function, line, frame.f_lineno)
        )
    if found is None:
        return None
    return Statements(record, frame, function, found, after_backward=phase == "backward")


def _is_whole_training(function: Function, first: int, last: int) -> bool:
    """Whether one statement, as `trainer.fit(model)`, runs both model and backward pass, out of sight."""
    start, end = path_to(function.body, first), path_to(function.body, last)
    is_same = bool(start) and bool(end) and start[-1].statement is end[-1].statement
    return is_same and not calls_backward(start[-1].statement)


def _lines_by_code(record: StepRecord) -> Iterator[tuple[CodeType, int]]:
    """Where each of the user's functions was when the model was called, the outermost first."""
    for code, instruction in reversed(record.callers):
        line = line_at(code, instruction)
        if line:
            yield code, line
    if record.code is not None:
        yield record.code, record.line


def _is_live(record: StepRecord, code: CodeType) -> bool:
    frame = record.frame
    while frame is not None:
        if frame.f_code is code:
            return True
        frame = frame.f_back
    return False
