"""Which names statements read before they overwrite them, in the order of execution."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from tensorpeek.probe.replay.source import parameters


def read_first(statements: Sequence[ast.stmt]) -> list[str]:
    """The names whose value from before the statements may be read by them, in order of the first read."""
    return list(_flow(statements).reads)


def written(statements: Sequence[ast.stmt]) -> set[str]:
    """The names that the statements may bind or delete."""
    return _flow(statements).writes


def _flow(statements: Sequence[ast.stmt]) -> _Flow:
    flow = _Flow()
    flow.run(statements)
    return flow


class _Flow(ast.NodeVisitor):
    """Walks statements as they are executed. A write in a branch counts as one that may not have happened."""

    def __init__(self) -> None:
        self.reads: dict[str, None] = {}
        self.writes: set[str] = set()
        self.surely: set[str] = set()
        """Names that are certain to have been written by now."""

    def run(self, nodes: Iterable[ast.AST | None]) -> None:
        for node in nodes:
            if node is not None:
                self.visit(node)

    def read(self, name: str) -> None:
        if name not in self.surely:
            self.reads.setdefault(name)

    def write(self, name: str) -> None:
        self.writes.add(name)
        self.surely.add(name)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self.read(node.id)
        else:
            self.write(node.id)

    def visit_Assign(self, node: ast.Assign) -> None:
        self.run([node.value, *node.targets])

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            self.read(node.target.id)
        self.run([node.value, node.target])

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.run([node.value, node.target])

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.run([node.value, node.target])

    def visit_For(self, node: ast.For | ast.AsyncFor) -> None:
        self.run([node.iter])
        self._perhaps([[node.target, *node.body], node.orelse])

    visit_AsyncFor = visit_For

    def visit_While(self, node: ast.While) -> None:
        self.run([node.test])
        self._perhaps([node.body, node.orelse])

    def visit_If(self, node: ast.If) -> None:
        self.run([node.test])
        before = set(self.surely)
        self.run(node.body)
        after_body, self.surely = self.surely, before
        self.run(node.orelse)
        self.surely &= after_body

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self.run([node.test])
        self._perhaps([[node.body], [node.orelse]])

    def visit_Try(self, node: ast.Try) -> None:
        self._perhaps([[*node.body, *node.orelse], *([handler] for handler in node.handlers)])
        self.run(node.finalbody)

    visit_TryStar = visit_Try  # pyright: ignore[reportAssignmentType]

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        self.run([node.type])
        if node.name:
            self.write(node.name)
        self.run(node.body)

    def visit_Match(self, node: ast.AST) -> None:
        fields = dict(ast.iter_fields(node))
        self.run([fields["subject"]])
        self._perhaps([[case] for case in fields["cases"]])

    def visit_MatchAs(self, node: ast.AST) -> None:
        """Also of `[*rest]` and `{**rest}`, whose name is called otherwise."""
        fields = dict(ast.iter_fields(node))
        name = fields.get("name") or fields.get("rest")
        if name:
            self.write(name)
        self.generic_visit(node)

    visit_MatchStar = visit_MatchAs
    visit_MatchMapping = visit_MatchAs

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.run([*node.decorator_list, *node.args.defaults, *node.args.kw_defaults])
        self._scope(parameters(node), node.body)
        self.write(node.name)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self.run([*node.args.defaults, *node.args.kw_defaults])
        self._scope(parameters(node), [node.body])

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.run([*node.decorator_list, *node.bases, *node.keywords])
        self._scope((), node.body)
        self.write(node.name)

    def visit_ListComp(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> None:
        self._comprehension(node.generators, [node.elt])

    visit_SetComp = visit_ListComp
    visit_GeneratorExp = visit_ListComp

    def visit_DictComp(self, node: ast.DictComp) -> None:
        self._comprehension(node.generators, [node.key, node.value])

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            self.write(alias.asname or alias.name.partition(".")[0])

    visit_ImportFrom = visit_Import

    def _perhaps(self, branches: Iterable[Sequence[ast.AST]]) -> None:
        """What may be executed, or not; what it writes is written for itself only."""
        for branch in branches:
            before = set(self.surely)
            self.run(branch)
            self.surely = before

    def _scope(self, own: Iterable[str], nodes: Sequence[ast.AST]) -> None:
        """A nested function: its reads are ours, unless the names are its own."""
        inner = _Flow()
        inner.surely.update(own)
        inner.run(nodes)
        for name in inner.reads:
            if name not in inner.writes:
                self.read(name)

    def _comprehension(self, generators: list[ast.comprehension], results: list[ast.expr]) -> None:
        inner = _Flow()
        for generator in generators:
            inner.run([generator.iter, generator.target, *generator.ifs])
        targets = {
            name.id
            for generator in generators
            for name in ast.walk(generator.target)
            if isinstance(name, ast.Name)
        }
        inner.run(results)
        for name in inner.reads:
            self.read(name)
        for name in inner.writes - targets:
            self.writes.add(name)
