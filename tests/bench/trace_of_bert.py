"""One process's trace of BERT-base, made from its configuration: prints seconds and bytes as JSON."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "python_backend"))

import torch  # noqa: E402
from transformers import BertConfig, BertModel  # noqa: E402

from tensorpeek.probe.shapes import weightless  # noqa: E402
from tensorpeek.probe.shapes.call import Target  # noqa: E402
from tensorpeek.probe.shapes.explicit import entry_of, traced  # noqa: E402
from tensorpeek.probe.shapes.sources import Sources  # noqa: E402


def main() -> None:
    ids = torch.randint(0, 1000, (4, 64))
    before, start, cpu_start = _peak(), time.perf_counter(), time.process_time()
    model = weightless.built(lambda: BertModel(BertConfig()))
    sources = Sources(("transformers",)) if "--library" in sys.argv else Sources()
    trace = traced(Target(entry_of(model), model, None, (ids,), {}), sources=sources)
    seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu_start
    print(
        json.dumps(
            {
                "seconds": seconds,
                "cpu_seconds": cpu_seconds,
                "bytes": _peak() - before,
                "parameters": trace["modules"][0]["parameterBytes"],
                "source": trace["source"],
                "symbols": [symbol["name"] for symbol in trace["symbols"]],
                "expressions": sum(len(file["expressions"]) for file in trace["files"]),
            }
        )
    )


def _peak() -> int:
    """The high-water mark of the process's resident memory."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError("no VmHWM in /proc/self/status")


if __name__ == "__main__":
    main()
