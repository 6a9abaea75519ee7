"""Of everything that was not finite in the step: which source it began with, in the words of the finding."""

from __future__ import annotations

from pathlib import Path

from tensorpeek.probe.replay.advice import advice_on, rows_text
from tensorpeek.probe.replay.copy_of_process import Answer
from tensorpeek.probe.replay.givens import path_in, tensors_in, weights_of
from tensorpeek.probe.replay.op_traits import SOFTENING
from tensorpeek.probe.replay.rerun import Outcome
from tensorpeek.probe.replay.values import Values, storage_of, values_of
from tensorpeek.probe.replay.watch import Source
from tensorpeek.probe.training.places import Place

OPTIMIZER = (
    "Where the loss and the gradients of the step before were finite, the optimizer made it: "
    "look at its learning rate and eps, and at what else writes to the weights."
)


def verdict(outcome: Outcome) -> Answer:
    """Producer or Unknown as JSON: what the first unintended source is, whose values reach the loss."""
    source = chosen(outcome)
    if source is None:
        return {"unknown": _why_nothing(outcome), "known": _known(outcome)}
    if source.tensor is not None:
        return given(outcome, source)
    return made(outcome, source)


def chosen(outcome: Outcome) -> Source | None:
    """The earliest source to blame; an intended one only where nothing else is there."""
    order = outcome.watch.sources
    reached = sorted(outcome.reached, key=order.index)
    if outcome.failure:
        # Without a backward pass, the gradient's NaN is most likely one that was hidden before.
        reached = reached or [one for one in order if one.kind == "made" and one.hidden_by][:1]
    forward: list[Source] = []
    for source in reached:
        born = source.forward.source if source.forward is not None else None
        # A source in the backward of an op whose own output was not finite: the op, hidden until then.
        forward.append(born or source)
    for source in sorted(forward, key=order.index):
        given_mask = next((one for one in source.after if one.tensor is not None), None)
        if source.kind == "made" and given_mask is not None and source.op not in SOFTENING:
            return given_mask
        if source.kind != "intended":
            return source
    return forward[0] if forward else None


def made(outcome: Outcome, source: Source) -> Answer:
    advice = advice_on(source)
    values = source.output
    rows = batch_rows(outcome, values)
    is_nan = bool(values.nan)
    word = "NaN" if is_nan else "+inf" if values.positive else "−inf"
    hidden = source.hidden_by if outcome.is_backward and not source.is_backward else ""
    place = source.place or _call_of_model(outcome)
    where = _at(place)
    step = f"step {outcome.record.number}"
    module = path_in(outcome.record.module, source.module)
    inside = f" (in `{module}`)" if module else ""
    start = f"first {word}: {'backward of ' if source.is_backward else ''}`{source.op}`{where}{inside}"
    parts = [f"{start}, {step}", advice.why]
    next_steps = list(advice.next)
    if source.kind == "intended":
        parts[1] = f"the {word} that it puts in reaches the loss"
        next_steps = ["Look at which elements are filled, and that none of them is used by the loss."]
    if rows and rows_text(values) not in advice.why:
        parts.append(rows_text(values, rows))
    text = ", ".join(parts)
    if hidden:
        hiding = hidden.removesuffix(" in backward") if hasattr(str, "removesuffix") else hidden
        text += f"; hidden by `{hiding}` until backward"
        next_steps.insert(
            0,
            f"Make the input of `{source.op}` safe inside the branch: `{hiding}` hides the value, "
            "but its gradient is still 0 · inf = NaN.",
        )
    elif source.first_nan is not None and not is_nan:
        op, at = source.first_nan
        text += f"; `{op}`{_at(at)} makes NaN of it"
    return {
        "op": source.op,
        "place": list(place) if place else None,
        "phase": "backward" if source.is_backward else "forward",
        "module": module,
        "inputs": _inputs(source),
        "rows": rows,
        "text": text + ".",
        "is_nan": is_nan,
        "hidden_by": hidden,
        "exact": outcome.is_exact,
        "next": next_steps,
        "related": [
            [list(one.place), f"the −inf comes from `{one.op}`" if one.op else "the −inf is used here"]
            for one in source.after
            if one.place is not None
        ],
    }


def given(outcome: Outcome, source: Source) -> Answer:
    """The step began with what is not finite: its batch, a variable, or the weights."""
    names = {storage_of(tensor): name for name, tensor in weights_of(outcome.record.module)}
    weight = names.get(storage_of(source.tensor))
    if weight is not None:
        return {
            "unknown": f"`{weight}` of the model was not finite before this step; since when is not known",
            "known": [f"{weight}: {source.output.line()}", OPTIMIZER],
            "is_final": True,
        }
    name = _name_of(outcome, source)
    values = source.output
    element = f"{name}[{', '.join(map(str, values.bad_index))}]" if values.bad_index else name
    word = "NaN" if values.nan else "+inf" if values.positive else "−inf"
    row = values.bad_index[0] if values.bad_index else None
    data_rows = outcome.record.rows
    of_data = ""
    if row is not None and data_rows is not None and len(data_rows) == values.shape[0]:
        of_data = f" (row {data_rows[row]} of the data set)"
    count = f", {values.bad} of {values.size} elements are not finite" if values.bad > 1 else ""
    place = source.place or _call_of_model(outcome)
    return {
        "op": "input",
        "place": list(place) if place else None,
        "phase": "forward",
        "module": "",
        "inputs": [f"{name}: {values.line()}"],
        "rows": values.bad_rows,
        "text": f"the data itself is not finite before the first op of step {outcome.record.number}: "
        f"`{element}` is {word}{of_data}{count}; the model is not the cause.",
        "is_nan": bool(values.nan),
        "hidden_by": "",
        "exact": outcome.is_exact,
        "next": [
            "Look at where this row comes from, and drop it or fill the missing value "
            "(`torch.isfinite(x).all()` in the data set finds such rows)."
        ],
        "related": [],
    }


def _call_of_model(outcome: Outcome) -> Place | None:
    code = outcome.record.code
    return Place(code.co_filename, outcome.record.line, code.co_name) if code is not None else None


def batch_rows(outcome: Outcome, values: Values) -> list[int]:
    """The rows of the batch that the bad elements of an output belong to, where its first dimension tells."""
    batch = batch_size(outcome)
    if not batch or not values.shape or not values.bad_rows:
        return []
    if values.shape[0] == batch:
        return values.bad_rows
    if len(values.shape) > 1 and values.shape[0] % batch == 0:
        return sorted({row // (values.shape[0] // batch) for row in values.bad_rows})
    return []


def batch_size(outcome: Outcome) -> int:
    record = outcome.record
    if record.rows:
        return len(record.rows)
    shapes = [value.shape for value in (*record.args, *record.kwargs.values()) if hasattr(value, "shape")]
    return next((shape[0] for shape in shapes if len(shape)), 0)


def _inputs(source: Source) -> list[str]:
    if source.forward is not None and source.forward.tensors:
        return [values_of(tensor).line() for tensor in source.forward.tensors]
    return [values.line() for values in source.inputs]


def _name_of(outcome: Outcome, source: Source) -> str:
    """How the user reaches the given tensor."""
    record = outcome.record
    storage = storage_of(source.tensor)
    everything = [
        *((name, value) for name, value in outcome.names.items() if not name.startswith("__")),
        *((f"args[{i}]", value) for i, value in enumerate(record.args)),
        *record.kwargs.items(),
    ]
    same = [
        (path, tensor)
        for name, value in everything
        for path, tensor in tensors_in(value, name)
        if storage_of(tensor) == storage
    ]
    exact = [pair for pair in same if pair[1].shape == source.tensor.shape]
    return (exact or same or [("the input", source.tensor)])[0][0]


def _why_nothing(outcome: Outcome) -> str:
    if outcome.failure:
        return f"the backward pass could not be run again: {outcome.failure}"
    if not outcome.is_exact:
        return "the step, run once more, gave another loss, and all of its values were finite"
    return "the step, run once more, gave finite values only"


def _known(outcome: Outcome) -> list[str]:
    hidden = [one for one in outcome.watch.sources if one.kind == "made" and one.hidden_by]
    return [
        f"`{one.op}`{_at(one.place)} gave a value that is not finite, hidden by `{one.hidden_by}`"
        for one in hidden[:5]
    ]


def _at(place: Place | None) -> str:
    return f" at {Path(place.path).name}:{place.line}" if place is not None else ""
