"""Writes `messages.py` and `messages.ts` from `wire.schema.json`.

`python -m tensorpeek.contract.generate` writes them, with `--check` it only says whether they are current.
Standard library only, because the Python side lives in the debuggee, where nothing else may be installed.
"""

from __future__ import annotations

import json
import sys
import textwrap
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
SCHEMA_FILE = HERE / "wire.schema.json"
PYTHON_FILE = HERE / "messages.py"
TYPESCRIPT_FILE = HERE.parents[2] / "extension" / "src" / "contract" / "messages.ts"

Schema = dict[str, Any]
LINE_LENGTH = 110

PYTHON_PRIMITIVES = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "null": "None",
    "object": "dict[str, Any]",
}
TYPESCRIPT_PRIMITIVES = {
    "string": "string",
    "integer": "number",
    "number": "number",
    "boolean": "boolean",
    "null": "null",
    "object": "Readonly<Record<string, unknown>>",
}


def python_type(schema: Schema) -> str:
    if "$ref" in schema:
        return referred(schema)
    if "anyOf" in schema:
        return " | ".join(python_type(s) for s in schema["anyOf"])
    if "enum" in schema:
        return "Literal[" + ", ".join(json.dumps(v) for v in schema["enum"]) + "]"
    if schema["type"] == "array":
        return f"list[{python_type(schema['items'])}]"
    return PYTHON_PRIMITIVES[schema["type"]]


def python_alias(schema: Schema) -> str:
    """As `python_type`, but evaluated when imported, where Python 3.9 has no `X | Y` between types."""
    if "anyOf" in schema:
        return "Union[" + ", ".join(python_type(s) for s in schema["anyOf"]) + "]"
    return python_type(schema)


def typescript_type(schema: Schema) -> str:
    if "$ref" in schema:
        return referred(schema)
    if "anyOf" in schema:
        return " | ".join(typescript_type(s) for s in schema["anyOf"])
    if "enum" in schema:
        return " | ".join(json.dumps(v) for v in schema["enum"])
    if schema["type"] == "array":
        item = typescript_type(schema["items"])
        return f"readonly ({item})[]" if " | " in item else f"readonly {item}[]"
    return TYPESCRIPT_PRIMITIVES[schema["type"]]


def referred(schema: Schema) -> str:
    return schema["$ref"].rsplit("/", 1)[1]


def emit_python(schema: Schema) -> str:
    out = [
        '"""Generated from wire.schema.json by `python -m tensorpeek.contract.generate`. Do not edit."""',
        "",
        "from __future__ import annotations",
        "",
        "from typing import Any, Literal, TypedDict, Union",
        "",
        f"CONTRACT_VERSION = {schema['version']}",
        "",
    ]
    for group, methods in schema["methods"].items():
        names = {"enum": list(methods["names"])}
        out += [
            *assigned(group.removesuffix("s"), python_type(names)),
            *docstring(methods["description"], ""),
            "",
        ]
    is_after_class = False
    for name, definition in schema["definitions"].items():
        if definition.get("type") != "object":
            out += [
                *([""] if is_after_class else []),
                *assigned(name, python_alias(definition)),
                *docstring(definition.get("description", ""), ""),
                "",
            ]
            is_after_class = False
            continue
        is_after_class = True
        required = definition["required"]
        optional = [k for k in definition["properties"] if k not in required]
        if optional and required:
            out += python_class(f"_{name}Required", "TypedDict", required, definition, "")
            out += python_class(name, f"_{name}Required, total=False", optional, definition)
        else:
            base = "TypedDict, total=False" if optional else "TypedDict"
            out += python_class(name, base, list(definition["properties"]), definition)
    return "\n".join(out).rstrip() + "\n"


def python_class(
    name: str, base: str, keys: list[str], definition: Schema, documentation: str | None = None
) -> list[str]:
    documentation = definition.get("description", "") if documentation is None else documentation
    out = ["", f"class {name}({base}):"]
    if documentation:
        out += [*docstring(documentation, "    "), *([""] if keys else [])]
    for key in keys:
        field = definition["properties"][key]
        out += [f"    {key}: {python_type(field)}", *docstring(field.get("description", ""), "    ")]
    return [*out, ""]


def assigned(name: str, written: str) -> list[str]:
    """The lines of an assignment of a type, broken as the formatter would."""
    whole = f"{name} = {written}"
    if len(whole) <= LINE_LENGTH:
        return [whole]
    before, _, inside = whole.removesuffix("]").partition("[")
    lines = [f"    {inside}"]
    if len(lines[0]) > LINE_LENGTH:
        lines = [f"    {part}," for part in inside.split(", ")]
    return [f"{before}[", *lines, "]"]


def docstring(text: str, indent: str) -> list[str]:
    """The lines of a docstring, none for no text."""
    if not text:
        return []
    one_line = f'{indent}"""{text}"""'
    if len(one_line) <= LINE_LENGTH:
        return [one_line]
    first, *rest = textwrap.wrap(text, LINE_LENGTH - len(one_line) + len(text), initial_indent='"""')
    return [indent + first, *(indent + line for line in rest), f'{indent}"""']


def emit_typescript(schema: Schema) -> str:
    out = [
        "// Generated from wire.schema.json by `python -m tensorpeek.contract.generate`. Do not edit.",
        "",
        f"export const CONTRACT_VERSION = {schema['version']};",
        "",
    ]
    for group, methods in schema["methods"].items():
        out += [f"/** {methods['description']} */", f"export interface {group} {{"]
        for name, parts in methods["names"].items():
            fields = "; ".join(f"readonly {part}: {typescript_type(kind)}" for part, kind in parts.items())
            out += [f"  readonly {json.dumps(name)}: {{ {fields} }};"]
        out += ["}", ""]
    for name, definition in schema["definitions"].items():
        if "description" in definition:
            out += [f"/** {definition['description']} */"]
        if definition.get("type") != "object":
            out += [f"export type {name} = {typescript_type(definition)};", ""]
            continue
        out += [f"export interface {name} {{"]
        for key, field in definition["properties"].items():
            if "description" in field:
                out += [f"  /** {field['description']} */"]
            mark = "" if key in definition["required"] else "?"
            out += [f"  readonly {key}{mark}: {typescript_type(field)};"]
        out += ["}", ""]
    return "\n".join(out).rstrip() + "\n"


def main(arguments: list[str]) -> int:
    """Writes both files, or with `--check` says whether they are current (exit status 1 when not)."""
    schema = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
    stale = [
        path
        for path, text in ((PYTHON_FILE, emit_python(schema)), (TYPESCRIPT_FILE, emit_typescript(schema)))
        if not write_if_changed(path, text, check="--check" in arguments)
    ]
    for path in stale:
        print(f"{path} is not what wire.schema.json says; run `npm run contract`.")
    return 1 if stale else 0


def write_if_changed(path: Path, text: str, *, check: bool) -> bool:
    """Returns False only when checking and the file differs."""
    current = path.read_text(encoding="utf-8") if path.exists() else ""
    if current == text:
        return True
    if check:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
