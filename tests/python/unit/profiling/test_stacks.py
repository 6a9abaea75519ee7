"""Samples become lines and a tree: own time where the user is innermost, total time along the way."""

from __future__ import annotations

import json
import sys
from types import FrameType

from tensorpeek.contract.messages import ProfiledStacks
from tensorpeek.probe.profiling.stacks import MOST_NODES, Stacks


def frame() -> FrameType:
    return sys._getframe(1)


def inner(stacks: Stacks, seconds: float) -> int:
    stacks.add(stacks.stack_of(frame()), seconds, 0.0, False)
    return sys._getframe().f_lineno - 1


def outer(stacks: Stacks) -> tuple[int, int]:
    line = inner(stacks, 2.0)
    return line, sys._getframe().f_lineno - 1


def rows(stacks: Stacks) -> dict[tuple[str, int], tuple[float, float]]:
    return {(row["function"], row["line"]): (row["self"], row["total"]) for row in stacks.lines(True)}


def test_own_time_is_the_innermost_lines_and_total_time_that_of_the_callers() -> None:
    stacks = Stacks()
    inside, around = outer(stacks)
    found = rows(stacks)
    assert found["inner", inside] == (2.0, 2.0)
    assert found["outer", around] == (0.0, 2.0)


def test_time_in_a_library_is_that_of_the_line_that_called_it() -> None:
    stacks = Stacks()
    json.dumps({1: Told(stacks)}, default=Told.tell)
    line = sys._getframe().f_lineno - 1
    found = rows(stacks)
    name = "test_time_in_a_library_is_that_of_the_line_that_called_it"
    assert found[name, line] == (0.0, 1.0)
    tree = stacks.tree(True)
    libraries = [frame["function"] for frame in tree["frames"] if not frame["isUsers"]]
    assert any("dumps" in function for function in libraries)


class Told:
    def __init__(self, stacks: Stacks) -> None:
        self._stacks = stacks

    def tell(self) -> str:
        self._stacks.add(self._stacks.stack_of(frame()), 1.0, 0.0, False)
        return ""


def test_recursion_counts_a_line_once() -> None:
    stacks = Stacks()

    def deep(left: int) -> None:
        if left:
            deep(left - 1)
        else:
            stacks.add(stacks.stack_of(sys._getframe()), 1.0, 0.0, False)

    deep(5)
    assert max(total for _, total in rows(stacks).values()) == 1.0


def test_a_start_up_is_apart_and_is_all_there_is_where_nothing_was_trained() -> None:
    stacks = Stacks()
    stacks.add(stacks.stack_of(sys._getframe()), 3.0, 0.0, True)
    (row, *_) = stacks.lines(True)
    assert (row["self"], row["startUp"]) == (0.0, 3.0)
    (row, *_) = stacks.lines(False)
    assert (row["self"], row["startUp"]) == (3.0, 0.0)
    assert (stacks.seconds(True), stacks.seconds(False)) == (0.0, 3.0)


def test_the_tree_is_bounded_and_keeps_its_time() -> None:
    stacks = Stacks()
    for number in range(3000):
        namespace = {"stacks": stacks, "frame": sys._getframe}
        exec(
            compile(
                "\n" * number + "stacks.add(stacks.stack_of(frame()), 1.0, 0.0, False)", __file__, "exec"
            ),
            namespace,
        )
    tree = stacks.tree(True)
    assert len(tree["parents"]) <= MOST_NODES
    assert sum(tree["seconds"]) == 3000
    assert is_tree(tree)


def is_tree(tree: ProfiledStacks) -> bool:
    return all(-1 <= parent < node for node, parent in enumerate(tree["parents"]))
