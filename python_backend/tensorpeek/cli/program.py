"""Runs a script or a module in this process as Python would: argv, `__main__`, path, traceback, exit code."""

from __future__ import annotations

import importlib.util
import io
import os
import pkgutil
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType, TracebackType
from typing import Any


class NoProgram(Exception):
    """What is missing, for the user; the exit code is Python's own for it."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code


@dataclass(frozen=True)
class Program:
    name: str
    """`sys.argv[0]`."""
    module: ModuleType
    """Its `__main__`, still empty."""
    read_code: Callable[[], CodeType]
    """May raise SyntaxError."""
    folder: str | None
    """What is to be the first entry of `sys.path`; None for the present one."""


def script(path: str) -> Program:
    """A file, or a folder or zip file with a `__main__.py`. Raises NoProgram."""
    whole = os.path.abspath(path)  # noqa: PTH100 a link stays one, as in Python
    if Path(whole).is_dir() or zipfile.is_zipfile(whole):
        finder: Any = pkgutil.get_importer(whole)
        spec = finder.find_spec("__main__") if finder is not None else None
        if spec is None:
            raise NoProgram(f"can't find '__main__' module in {path!r}", 1)
        return Program(path, _main(spec, spec.origin), lambda: _code_of(spec), whole)
    try:
        with io.open_code(whole) as file:
            source = file.read()
    except OSError as problem:
        raise NoProgram(f"can't open file {whole!r}: {problem.strerror}", 2) from None
    module = _main(None, whole)
    module.__loader__ = SourceFileLoader("__main__", whole)
    folder = str(Path(whole).resolve().parent)
    return Program(path, module, lambda: compile(source, whole, "exec", dont_inherit=True), folder)


def module(name: str) -> Program:
    """What `python -m NAME` runs. Raises NoProgram; what importing its package raises goes through."""
    try:
        spec = importlib.util.find_spec(name)
    except (ModuleNotFoundError, ValueError) as problem:
        raise NoProgram(f"No module named {name} ({problem})", 1) from None
    if spec is None:
        raise NoProgram(f"No module named {name}", 1)
    if spec.submodule_search_locations is not None:
        if name.endswith(".__main__"):
            raise NoProgram(f"{name} is a package", 1)
        return module(f"{name}.__main__")
    if not hasattr(spec.loader, "get_code"):
        raise NoProgram(f"no code object available for {name}", 1)
    return Program(spec.origin or name, _main(spec, spec.origin), lambda: _code_of(spec), None)


def execute(program: Program, arguments: list[str], on_error: Callable[[BaseException], None]) -> None:
    """Runs it to its end; what it raises goes through, to Python's own handling of exceptions and exit codes.

    `on_error` is called for an exception that nothing caught, after its traceback was printed. The traceback
    begins in the user's code.
    """
    sys.argv[:] = [program.name, *arguments]
    if program.folder is not None and not _is_path_safe():
        sys.path[0] = program.folder
    sys.modules["__main__"] = program.module
    try:
        exec(program.read_code(), program.module.__dict__)  # noqa: S102 the program that the user named
    except SystemExit:
        raise
    except BaseException as error:
        _strip(error, sys.excepthook, on_error)
        raise


def _strip(
    error: BaseException, users_hook: Callable[..., Any], then: Callable[[BaseException], None]
) -> None:
    """Has Python print the traceback without our frames, by the hook that the user may have set."""
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_frame.f_code.co_filename == __file__:
        traceback = traceback.tb_next

    def hook(kind: type[BaseException], raised: BaseException, whole: TracebackType | None) -> None:
        if raised is not error:
            users_hook(kind, raised, whole)
            return
        users_hook(kind, error.with_traceback(traceback), traceback)
        then(error)

    sys.excepthook = hook


def _main(spec: ModuleSpec | None, path: str | None) -> ModuleType:
    main = ModuleType("__main__")
    main.__spec__ = spec
    main.__package__ = spec.parent if spec is not None else None
    main.__loader__ = spec.loader if spec is not None else None
    main.__dict__["__builtins__"] = sys.modules["builtins"]
    main.__dict__["__cached__"] = spec.cached if spec is not None else None
    if path is not None:
        main.__file__ = path
    return main


def _code_of(spec: ModuleSpec) -> CodeType:
    loader: Any = spec.loader
    code = loader.get_code(spec.name)
    if code is None:
        raise ImportError(f"no code object available for {spec.name}")
    return code


def _is_path_safe() -> bool:
    """Whether Python was told to put no folder first (`-P`), or to look at nothing of the user's (`-I`)."""
    return bool(getattr(sys.flags, "safe_path", False) or sys.flags.isolated)
