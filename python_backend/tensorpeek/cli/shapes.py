"""`python -m tensorpeek shapes`: the source of a model with the shape of each line, without its data."""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.util
import json
import multiprocessing
import os
import sys
import threading
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from tensorpeek.cli import program, shapes_text
from tensorpeek.cli.console import Console, clean, shows_colours
from tensorpeek.cli.shapes_options import ShapesOptions, is_ours
from tensorpeek.contract.messages import ShapeTrace
from tensorpeek.probe.run_output import RUN_OUTPUT
from tensorpeek.probe.shapes import examples, weightless
from tensorpeek.probe.shapes.call import Target
from tensorpeek.probe.shapes.explicit import entry_of, traced
from tensorpeek.probe.shapes.fake_trace import said
from tensorpeek.probe.shapes.first_call import FirstCall, has_parameters
from tensorpeek.probe.shapes.sources import Sources, package_of
from tensorpeek.runs import shapes_file

PATIENCE = 3.0
"""Seconds, after which it is said what takes them."""


def shapes(options: ShapesOptions) -> NoReturn:
    """Ends the process: 0 where something was traced, else 1 and one sentence."""
    Session(options).start()


class Session:
    def __init__(self, options: ShapesOptions) -> None:
        self._options = options
        self._console = Console()
        self._out = sys.stdout
        self._process = os.getpid()
        self._first_call = FirstCall(self._is_wanted, self._called)
        RUN_OUTPUT.write_into(
            str(options.runs), [options.target or options.call.rpartition(":")[0], *options.arguments]
        )

    def start(self) -> NoReturn:
        # A compiled function would see our hooks; nothing is to be run fast here.
        os.environ["TORCHDYNAMO_DISABLE"] = "1"
        for word in filter(is_ours, self._options.arguments):
            self._console.say(
                f"tensorpeek: {word} goes to the program; ours stand before {self._options.target}"
            )
        # What the program prints goes beside our output, not into it.
        sys.stdout = sys.stderr
        missing = ""
        if self._options.call:
            missing = self._by_call()
        if self._options.target:
            self._by_program(missing)
        self._fail(missing or "the program has called no model")

    # By --call

    def _by_call(self) -> str:
        """Ends the process where the user has said what goes in; else returns what is missing."""
        where, _, name = self._options.call.rpartition(":")
        # A file without a guard trains as it is imported.
        self._first_call.wait()
        try:
            module = _imported(where)
        except Exception as error:  # noqa: BLE001  whatever the user's code raises is told
            self._fail(f"{where} can't be imported: {said(error)}")
        finally:
            self._first_call.leave()
        owner = _member(module, name)
        if owner is None:
            self._fail(f"{where} has no {name}")
        if "torch" not in sys.modules:
            self._fail(f"{where} does not import torch")
        try:
            arguments = examples.marked(module, owner)
        except Exception as error:  # noqa: BLE001  whatever the user's code raises is told
            self._fail(f"the example input: {_why(error)}")
        if arguments is None and self._options.target:
            return f"nothing says what goes into {name}, and the program does not call it"
        return self._made(module, name, owner, arguments)

    def _made(
        self, module: ModuleType, name: str, owner: Any, arguments: examples.Arguments | None, why: str = ""
    ) -> NoReturn:
        """Traces what `owner` makes; `why` begins the sentence where that can't be."""
        build = functools.partial(examples.built, module, owner)
        try:
            model = weightless.built(build)
        except Exception as error:  # noqa: BLE001  whatever the user's code raises is told
            self._fail(f"{why or f'{name} could not be made'}: {_why(error)}")
        is_guess = arguments is None
        arguments = arguments or examples.guessed(model)
        if arguments is None:
            self._fail(_unmarked(name))
        target = Target(entry_of(model), model, build if model is not owner else None, *arguments)
        self._finish(target, f"Nothing says what goes in, so this is a guess. {_mark()}" if is_guess else "")

    # By the program

    def _by_program(self, missing: str) -> None:
        options = self._options
        try:
            target = (program.module if options.is_module else program.script)(options.target)
        except program.NoProgram as problem:
            self._fail(str(problem))
        self._first_call.wait()
        try:
            program.execute(target, options.arguments, lambda error: None)
        except SystemExit:
            pass
        except BaseException as error:  # noqa: BLE001  told with its traceback, as Python does
            sys.excepthook(type(error), error, error.__traceback__)
            self._fail("the program failed before it called " + (options.call or "a model"))
        finally:
            self._first_call.leave()
        if missing and options.call:
            self._after_program(missing)
        if not options.call:
            self._by_mark(target.module)

    def _after_program(self, missing: str) -> None:
        """The program never called it: the signature is left."""
        where, _, name = self._options.call.rpartition(":")
        module = _imported(where)
        self._made(module, name, _member(module, name), None, missing)

    def _by_mark(self, module: ModuleType) -> None:
        """The program only defines models: the last of them whose input is marked."""
        if "torch" not in sys.modules:
            return
        name = ""
        for name, kind in reversed(examples.models_of(module)):
            try:
                arguments = examples.marked(module, kind)
            except Exception as error:  # noqa: BLE001  whatever the user's code raises is told
                self._fail(f"{name}: {_why(error)}")
            if arguments is not None:
                self._made(module, name, kind, arguments)
        if name:
            self._fail(f"the program has called no model, and {_unmarked(name)}{_unmade(module, name)}")

    def _is_wanted(self, model: Any) -> bool:
        if os.getpid() != self._process:
            return False
        if not self._options.call:
            return has_parameters(model)
        return type(model).__qualname__ == self._options.call.rpartition(":")[2]

    def _called(self, model: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._finish(Target(entry_of(model), model, None, args, kwargs), "")

    # The end

    def _finish(self, target: Target, remark: str) -> NoReturn:
        progress = threading.Timer(PATIENCE, self._console.say, [f"tensorpeek: tracing {target.entry} …"])
        progress.daemon = True
        progress.start()
        try:
            sources = Sources(self._options.library_sources, self._options.has_all_sources)
            trace = traced(target, sources=sources)
        except Exception as error:  # noqa: BLE001  a fault of ours ends as a sentence
            self._fail(f"{target.entry} could not be traced: {said(error)}")
        finally:
            progress.cancel()
        library = "" if any(file["expressions"] for file in trace["files"]) else package_of(target.model)
        if library:
            remark += f" Its code is of {library}: --library-sources {library} shows it."
        trace["problem"] = " ".join(filter(None, (trace["problem"], remark.strip())))
        if not any(file["expressions"] for file in trace["files"]) and not trace["modules"]:
            self._fail(f"{target.entry}: {trace['problem'] or 'nothing of it is Python code of yours'}")
        self._write(trace)
        is_coloured = shows_colours(self._out)
        text = (
            shapes_text.table(trace, is_coloured)
            if self._options.shows_table
            else clean(shapes_text.annotated(trace))
        )
        with contextlib.suppress(OSError, ValueError):
            self._out.write("\n\n".join(filter(None, (clean(shapes_text.heading(trace)), text))) + "\n")
        self._exit(0)

    def _write(self, trace: ShapeTrace) -> None:
        try:
            path = shapes_file.write(RUN_OUTPUT.path(), trace)
            self._console.say(f"tensorpeek: {path}")
            if self._options.json is not None:
                text = json.dumps(trace, ensure_ascii=False, indent=1)
                self._options.json.write_text(text + "\n", encoding="utf-8", errors="backslashreplace")
        except OSError as problem:
            self._console.say(f"tensorpeek: the shapes can't be written: {problem}")

    def _fail(self, sentence: str) -> NoReturn:
        self._console.say(f"tensorpeek: {clean(sentence)}")
        self._exit(1)

    def _exit(self, code: int) -> NoReturn:
        """At once: nothing of the program's runs any more, and its workers end with it."""
        for child in multiprocessing.active_children():
            child.terminate()
        for stream in (self._out, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        os._exit(code)


def _imported(where: str) -> ModuleType:
    """A file under its own name, so that what is only for `__main__` does not run; or a module."""
    if not where.endswith(".py"):
        sys.path.insert(0, str(Path.cwd()))
        return importlib.import_module(where)
    path = Path(where).resolve()
    sys.path.insert(0, str(path.parent))
    name = path.stem
    known = sys.modules.get(name)
    if known is not None and getattr(known, "__file__", None) == str(path):
        return known
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{where} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _member(module: ModuleType, name: str) -> Any:
    """None where there is none."""
    member: Any = module
    for part in name.split("."):
        member = getattr(member, part, None)
    return member


def _why(error: Exception) -> str:
    return str(error) if isinstance(error, examples.NoExample) else said(error)


def _unmarked(name: str) -> str:
    return f"nothing says what goes into {name}. {_mark()}"


def _unmade(module: ModuleType, name: str) -> str:
    """What is missing besides the input, as a sentence."""
    owner = _member(module, name)
    try:
        if examples.MODEL not in examples.comments(module, owner):
            examples.from_signature(owner)
    except examples.NoExample as missing:
        return f" And {missing}"
    return ""


def _mark() -> str:
    return "Write a comment in it, as `# tensorpeek: example_input = torch.randn(4, 3, 32, 32)`."
