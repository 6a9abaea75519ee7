"""Imports every module of the packages named, and prints what that loaded as JSON: module name to file.

`python import_everything.py <python_backend> <package>…`; runs on every Python that the packages support.
"""

import importlib
import json
import pkgutil
import sys


def main():
    backend, packages = sys.argv[1], sys.argv[2:]
    before = set(sys.modules)
    sys.path.insert(0, backend)
    for name in packages:
        package = importlib.import_module(name)
        for module in pkgutil.walk_packages(package.__path__, name + "."):
            if not module.name.endswith(".__main__"):
                importlib.import_module(module.name)
    loaded = {name: getattr(sys.modules[name], "__file__", None) for name in set(sys.modules) - before}
    sys.stdout.write(json.dumps(loaded))


if __name__ == "__main__":
    main()
