"""How much of what models give is in their traces, and right: twelve models, and five of transformers."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import metadata
from typing import Any

import torch
import transformers
from eager_record import EagerRecord
from report import Table
from shape_models import MODELS
from shape_score import Score, score
from torch import nn

from tensorpeek.contract.messages import ShapeTrace
from tensorpeek.probe.shapes.call import Target
from tensorpeek.probe.shapes.explicit import entry_of, traced
from tensorpeek.probe.shapes.sources import Sources

BATCH = 3
IDS = torch.arange(BATCH * 9).reshape(BATCH, 9)
SMALL = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
LIBRARY = Sources(("transformers",))


def _bert() -> tuple[nn.Module, dict[str, Any]]:
    return transformers.BertModel(transformers.BertConfig(vocab_size=50, **SMALL)), {"input_ids": IDS}


def _gpt2() -> tuple[nn.Module, dict[str, Any]]:
    config = transformers.GPT2Config(
        vocab_size=50, n_embd=16, n_layer=2, n_head=2, bos_token_id=1, eos_token_id=2
    )
    return transformers.GPT2LMHeadModel(config), {"input_ids": IDS}


def _vit() -> tuple[nn.Module, dict[str, Any]]:
    config = transformers.ViTConfig(image_size=16, patch_size=4, **SMALL)
    return transformers.ViTModel(config), {"pixel_values": torch.randn(BATCH, 3, 16, 16)}


def _t5() -> tuple[nn.Module, dict[str, Any]]:
    config = transformers.T5Config(vocab_size=50, d_model=16, d_kv=8, d_ff=32, num_layers=2, num_heads=2)
    return transformers.T5Model(config), {"input_ids": IDS, "decoder_input_ids": IDS[:, :4]}


def _llama() -> tuple[nn.Module, dict[str, Any]]:
    config = transformers.LlamaConfig(vocab_size=50, num_key_value_heads=1, **SMALL)
    return transformers.LlamaForCausalLM(config), {"input_ids": IDS}


OF_TRANSFORMERS: dict[str, Callable[[], tuple[nn.Module, dict[str, Any]]]] = {
    "BERT": _bert,
    "GPT-2": _gpt2,
    "ViT": _vit,
    "T5": _t5,
    "Llama": _llama,
}


def run(quick: bool) -> Table:
    lines = [["model", "names", "covered", "right", "calls", "covered", "right", "remarks", "traced"]]
    total = Score()
    for name, example in MODELS.items():
        torch.manual_seed(0)
        model, arguments = example(BATCH)
        total += _line(lines, name, model, arguments, {}, Sources())
    lines.append(["all twelve", *_numbers(total), "", ""])
    theirs = Score()
    for name, make in OF_TRANSFORMERS.items():
        torch.manual_seed(0)
        model, words = make()
        theirs += _line(lines, f"transformers' {name}", model, (), words, LIBRARY)
    lines.append(["all five", *_numbers(theirs), "", ""])
    return Table(
        "Shapes of every name and call, against a record that is made without TensorPeek",
        lines,
        [
            "The record is of an eager pass: what `sys.settrace` sees in the locals, and what a",
            "TorchFunctionMode and returning functions give, in the places that `co_positions` tells.",
            f"transformers {metadata.version('transformers')}, in its own source.",
            *dict.fromkeys([*total.faults, *theirs.faults]),
        ],
    )


def _line(
    lines: list[list[str]], name: str, model: nn.Module, args: Any, kwargs: Any, sources: Sources
) -> Score:
    model.eval()
    path = inspect.getfile(type(model))
    with torch.no_grad(), EagerRecord([path]) as record:
        model(*args, **kwargs)
    trace = traced(Target(entry_of(model), model, None, args, kwargs), sources=sources)
    of_the_file = [file for file in trace["files"] if file["path"] == path]
    result = score({**trace, "files": of_the_file}, record)
    lines.append([name, *_numbers(result), str(len(trace["remarks"])), _how(trace)])
    return result


def _numbers(result: Score) -> list[str]:
    counts = (result.names, result.names_covered, result.names_right)
    return [str(count) for count in (*counts, result.calls, result.calls_covered, result.calls_right)]


def _how(trace: ShapeTrace) -> str:
    names = ", ".join(symbol["name"] for symbol in trace["symbols"])
    how = "without data" if trace["source"] == "fake" else "twice with data"
    return f"{how}: {names}" if names else how
