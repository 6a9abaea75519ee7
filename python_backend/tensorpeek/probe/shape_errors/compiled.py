"""What torch.compile says of an operation that fails while it traces the user's code."""

from __future__ import annotations

import re

from tensorpeek.probe.shape_errors.explanation import Explanation
from tensorpeek.probe.shape_errors.failing import Failing
from tensorpeek.probe.training import source
from tensorpeek.probe.training.places import Place, is_users_file
from tensorpeek.probe.training.report import Related

CODE = "from user code:"
CALLED = re.compile(r"call_(?:function|method|module) (?:<built-in (?:function|method) )?([\w.]+)")
SAID = re.compile(r"got (\w+)\((['\"])(.*?)\2\)", re.DOTALL)
SIZES = re.compile(r"FakeTensor\(\.\.\.(?:, device='[^']*')?, size=\(([^()]*)\)")
FILES = re.compile(r'File "([^"]+)", line (\d+), in (\S+)')
SHAPES = re.compile(r"size|shape|dim|broadcast|channel|multipl|out of bounds", re.IGNORECASE)


def explain(found: Failing) -> Explanation | None:
    if CODE not in found.text:
        return None
    said = SAID.search(found.text)
    sizes = [f"[{size.rstrip(', ')}]" for size in SIZES.findall(found.text.partition(CODE)[0])]
    if said is None or not sizes or not SHAPES.search(said[3]):
        return None
    places = [
        Place(path, int(line), function)
        for path, line, function in FILES.findall(found.text.partition(CODE)[2])
        if is_users_file(path)
    ]
    place = places[-1] if places else found.place
    called = CALLED.search(found.text)
    statement = source.statement_around(place.path, place.line)
    text = source.text(statement) if statement is not None else ""
    where = f"`{text}` at line {place.line}: " if text and len(text) < 80 else ""
    return Explanation(
        "Shapes do not fit",
        f"{where}torch.compile can't trace {called[1] if called else 'an operation'} of tensors "
        f"{', '.join(sizes)}: {said[3].rstrip('.')}.",
        [
            'Run it once without compiling, as with torch.compiler.set_stance("force_eager"): '
            "then the operands are named."
        ],
        related=[Related(found.place, "the compiled code is called here")],
        place=place,
    )
