"""Runs debugpy's adapter on Python 3.9: `debugpy_on_39.py FOLDER [OPTIONS]`.

Version 1.8.22 of it calls a static method while its class is made, which Python allows from 3.10 on; the
debuggee's part of debugpy still supports older versions.
"""

from __future__ import annotations

import builtins
import runpy
import sys
from typing import Any


class CallableStaticMethod(staticmethod):  # pyright: ignore[reportMissingTypeArgument]
    """What `staticmethod` is in Python 3.10."""

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        function: Any = self.__func__
        return function(*arguments, **named)


if __name__ == "__main__":
    builtins.staticmethod = CallableStaticMethod
    del sys.argv[0]
    runpy.run_path(sys.argv[0], run_name="__main__")
