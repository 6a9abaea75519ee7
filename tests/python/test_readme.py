"""README and its like say what the manifest says, and point at what exists."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

import tensorpeek
from tensorpeek.catalogue.tables import conditions_table, functions_table

ROOT = Path(__file__).parents[2]
MANIFEST: dict[str, Any] = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCUMENTS = sorted(ROOT.glob("*.md"))


def table_rows(section: str) -> list[list[str]]:
    """The cells of the table in a section of the README, without its head and the line under it."""
    text = re.split(r"^## ", README.partition(f"\n## {section}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]
    rows = [line.split("|")[1:-1] for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows[2:]]


def test_the_extension_and_the_package_have_one_version() -> None:
    assert MANIFEST["version"] == tensorpeek.__version__
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert newest is not None
    assert newest[1] == tensorpeek.__version__


def test_the_settings_are_those_of_the_manifest() -> None:
    declared = {
        name: "" if setting["default"] == "" else f"`{json.dumps(setting['default'])}`"
        for name, setting in MANIFEST["contributes"]["configuration"]["properties"].items()
    }
    assert {row[0].strip("`"): row[1] for row in table_rows("Settings")} == declared


def test_the_launch_attributes_are_those_of_the_manifest() -> None:
    debugger = MANIFEST["contributes"]["debuggers"][0]
    declared = {
        name for request in debugger["configurationAttributes"].values() for name in request["properties"]
    }
    values = {"${command:pickProcess}", "integratedTerminal", "internalConsole", "externalTerminal"}
    named = set(re.findall(r"`([^`]+)`", " ".join(row[1] for row in table_rows("Launch configurations"))))
    assert named - values | {"debugpyPath", "tensorpeek"} == declared


@pytest.mark.parametrize(
    ("name", "table"), [("conditions", conditions_table()), ("functions", functions_table())]
)
def test_the_tables_of_the_catalogue_are_those_of_the_catalogue(name: str, table: str) -> None:
    _, start, rest = README.partition(f"<!-- {name}:start -->")
    written, end, _ = rest.partition(f"<!-- {name}:end -->")
    wanted = f"\n\n{table}\n\n"
    if os.environ.get("TENSORPEEK_UPDATE_GOLDEN") and written != wanted:
        now = (
            (ROOT / "README.md")
            .read_text(encoding="utf-8")
            .replace(start + written + end, start + wanted + end)
        )
        (ROOT / "README.md").write_text(now, encoding="utf-8")
    else:
        assert written == wanted, "TENSORPEEK_UPDATE_GOLDEN=1 writes them anew"


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#]+)|(?:src|srcset)=\"([^\"]+)\"", text)
    local = [link for pair in links for link in pair if link and not link.startswith("https://")]
    assert [link for link in local if not (path.parent / link).exists()] == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_every_npm_command_named_exists(path: Path) -> None:
    named = re.findall(r"npm (?:run )?(\w[\w-]*)", path.read_text(encoding="utf-8"))
    assert set(named) <= {*MANIFEST["scripts"]}
