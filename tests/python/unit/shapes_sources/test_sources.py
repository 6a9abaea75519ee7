"""Library files are annotated where the user asks for their package, and torch's never."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import torch
from transformers import BertConfig, BertModel

from tensorpeek.contract.messages import ShapeTrace
from tensorpeek.probe.shapes.call import Target
from tensorpeek.probe.shapes.explicit import traced
from tensorpeek.probe.shapes.sources import Sources, package_of

SMALL = BertConfig(
    vocab_size=50, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64
)
IDS = torch.zeros(3, 7, dtype=torch.long)


def _bert(sources: Sources) -> ShapeTrace:
    return traced(Target("", BertModel(SMALL), None, (IDS,), {}), sources=sources)


@pytest.mark.parametrize("sources", [Sources(("transformers",)), Sources(has_all=True)])
def test_the_files_of_a_transformer_are_annotated(sources: Sources) -> None:
    trace = _bert(sources)

    assert (trace["source"], trace["problem"]) == ("fake", "")
    files = {Path(file["path"]).name: file for file in trace["files"]}
    assert "modeling_utils.py" not in files
    lines = files["modeling_bert.py"]["text"].splitlines()
    found = {lines[row["line"] - 1].strip(): row["values"] for row in files["modeling_bert.py"]["names"]}
    (embeddings,) = found["embeddings = inputs_embeds + token_type_embeddings"]
    batch, length, width = embeddings["dims"]
    assert (embeddings["sizes"], width) == ([3, 7, 32], "32")
    assert {batch, length} == {symbol["name"] for symbol in trace["symbols"]}
    rows = {row["path"]: row for row in trace["modules"]}
    assert "class BertLayer" in lines[rows["encoder.layer.1"]["line"] - 1]


@pytest.mark.parametrize("sources", [Sources(), Sources(("timm",)), Sources(("torch",))])
def test_other_libraries_are_left_alone(sources: Sources) -> None:
    assert _bert(sources)["files"] == []


def test_a_class_is_of_a_library_or_of_the_user() -> None:
    class Net(torch.nn.Module):
        pass

    assert package_of(BertModel(SMALL)) == "transformers"
    assert package_of(torch.nn.Linear(2, 2)) == package_of(Net()) == ""
    assert Path(sys.modules[Net.__module__].__file__ or "").suffix == ".py"
