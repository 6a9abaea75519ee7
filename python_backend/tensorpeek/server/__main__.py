"""Starts the language server on stdio: `python <folder>/tensorpeek/server`, or `python -m tensorpeek.server`.

pygls is taken from the libraries that the extension ships (`TENSORPEEK_BUNDLED_LIBS`, or `bundled/libs`
beside `python_backend`), else from this Python's own environment.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

PYTHON_BACKEND = Path(__file__).resolve().parents[2]
OLDEST_PYTHON = (3, 10)


def main() -> int:
    if sys.version_info < OLDEST_PYTHON:
        found, wanted = (".".join(map(str, version[:2])) for version in (sys.version_info, OLDEST_PYTHON))
        return _give_up(f"needs Python {wanted} or newer, and {sys.executable} is Python {found}")
    libraries = bundled_libraries()
    here = str(Path(__file__).resolve().parent)
    # Run as a script, this folder is in sys.path; its modules are only meant as parts of the package.
    sys.path[:] = [str(PYTHON_BACKEND), *(entry for entry in sys.path if entry != here)]
    if libraries is not None:
        sys.path.insert(1, str(libraries))
    if importlib.util.find_spec("pygls") is None:
        places = f"{libraries} nor in the environment of" if libraries is not None else "the environment of"
        return _give_up(f"found pygls neither in {places} {sys.executable}")
    from tensorpeek.server.language_server import language_server

    language_server().start_io()
    return 0


def bundled_libraries() -> Path | None:
    """The folder of the shipped libraries, None where there is none, as in a fresh checkout."""
    named = os.environ.get("TENSORPEEK_BUNDLED_LIBS")
    folder = Path(named) if named else PYTHON_BACKEND.parent / "bundled" / "libs"
    return folder if folder.is_dir() else None


def _give_up(reason: str) -> int:
    sys.stderr.write(f"TensorPeek's language server {reason}.\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
