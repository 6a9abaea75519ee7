"""A fork of a process whose OpenMP threads have run looks at tensors."""

from __future__ import annotations

import os
import sys

from every_dtype import tensors, torch

from tensorpeek.probe.budget import Deadline
from tensorpeek.probe.kinds.tensor import TensorKind

torch.set_num_threads(4)
torch.randn(3_000_000).sum()
looked_at = tensors(100_000)

child = os.fork()
if child == 0:
    kind = TensorKind()
    for tensor in looked_at:
        scan = kind.scan(tensor)
        assert scan is not None
        scan.advance(Deadline.never())
        assert scan.statistics.exact, tensor.dtype
        kind.present(tensor, scan)
    sys.stdout.write("child looked at every dtype\n")
    sys.stdout.flush()
    os._exit(0)
_, status = os.waitpid(child, 0)
sys.exit(os.waitstatus_to_exitcode(status))
