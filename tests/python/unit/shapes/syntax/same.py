"""Runs each case of files as it is and rewritten, and prints what differs: `python same.py BACKEND FILE…`.

It is run on every Python that the engine supports, with nothing installed.
"""

import ast
import importlib.util
import json
import sys
import traceback
from pathlib import Path


def main():
    backend, *files = sys.argv[1:]
    sys.path.insert(0, backend)
    found = [difference for file in files for difference in differences(file)]
    sys.stdout.write(json.dumps(found))


def differences(file):
    from tensorpeek.probe.shapes.rewriting.rewritten import rewritten
    from tensorpeek.probe.shapes.tracer import Tracer

    module = loaded(file)
    cases = [name for name in vars(module) if name.startswith("case_")]
    yield from wrong_places(rewritten(file, Path(file).read_text("utf-8")))
    for name in cases:
        plain = told(getattr(module, name))
        with Tracer(lambda path: path == file) as tracer:
            if not any(recorder.file.places.expressions for recorder in tracer.recording.files.values()):
                yield f"{name}: nothing was rewritten"
            result = told(getattr(module, name))
            if name != "case_decorated" and not any(
                recorder.functions for recorder in tracer.recording.files.values()
            ):
                yield f"{name}: it was not told"
        after = told(getattr(module, name))
        if not plain == result == after:
            yield f"{name}: {plain} became {result}, and then {after}"
        if any(recorder.is_faulty for recorder in tracer.recording.files.values()):
            yield f"{name}: the recorder failed"


def wrong_places(file):
    """A place is that of a whole expression or name."""
    lines = file.text.encode().split(b"\n")

    def text_at(span):
        line, column, end_line, end_column = span
        if line == end_line:
            return lines[line - 1][column:end_column].decode()
        middle = lines[line : end_line - 1]
        return b"\n".join([lines[line - 1][column:], *middle, lines[end_line - 1][:end_column]]).decode()

    for span in file.places.expressions:
        text = text_at(span)
        try:
            ast.parse(f"({text}\n)", mode="eval")
        except SyntaxError:
            # Of an assignment in place, the whole statement.
            if not isinstance(ast.parse(text).body[0], ast.AugAssign):
                yield f"{span} is {text!r}"
    for name, span in file.places.names:
        if name not in text_at(span):
            yield f"{name} at {span} is {text_at(span)!r}"


def told(case):
    """What a case gives, or the whole traceback of what it raises."""
    try:
        return repr(case())
    except Exception:  # noqa: BLE001  whatever it raises is compared
        return traceback.format_exc()


def loaded(file):
    spec = importlib.util.spec_from_file_location(Path(file).stem, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    main()
