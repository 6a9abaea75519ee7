"""Every function of `tp`, in the order of the menu and of the documentation."""

from __future__ import annotations

from tensorpeek.catalogue.function_info import Argument, FunctionInfo

ACCEPTED = (
    "A value may be a tensor, a number, a NumPy array, a list or dict of them, or a module, which stands "
    "for its parameters. Where one number is wanted, more than one element stand for their mean."
)
"""Of every argument that is a value."""

X = Argument("x", "a value", is_value=True)
VALUES = Argument("values", "one value or several", is_value=True, many=True)


MOST_SPIKE = 10_000
"""Values that are sorted now and then; more of them would hold the program up."""
MOST_PLATEAU = 10_000_000


def _count(
    name: str, meaning: str, default: float | None = None, least: float = 1, most: int | None = None
) -> Argument:
    return Argument(name, meaning, default, least, most, is_whole=True)


SPIKE = FunctionInfo(
    "spike",
    "truth",
    (
        X,
        Argument("factor", "spreads above the median", 8, 0),
        _count("window", "last values that are compared", 50, 8, MOST_SPIKE),
        _count("warmup", "values at the beginning that are only watched", 20, 8),
    ),
    "Whether x jumps far above its last values. The spread is the median distance from the median, so that "
    "an earlier spike does not hide the next one; positive values are compared by their logarithms. "
    "It is shown x each time the line is reached, also where the rest of the condition does not hold.",
    "{x} is more than {factor} spreads above the median of the last {window} values, after {warmup} values",
    "tp.spike(loss, factor=8)",
    "Loss spike…",
    "tp.spike({name}, factor={factor}, warmup={warmup})",
)
NONFINITE = FunctionInfo(
    "nonfinite",
    "truth",
    (VALUES,),
    "Whether there is NaN or Inf in any of the values.",
    "there is NaN or Inf in {values}",
    "tp.nonfinite(loss, out)",
    "Becomes NaN or Inf…",
    "tp.nonfinite({name})",
)
GRAD_NORM = FunctionInfo(
    "grad_norm",
    "number",
    (VALUES,),
    "The norm of the gradients of a model, of an optimizer's parameters or of tensors, all taken together; "
    "0 where there are none yet.",
    "the gradient norm of {values}",
    "tp.grad_norm(model) > 10",
    "Gradient norm above…",
    "tp.grad_norm({name}) > {threshold}",
)
EVERY = FunctionInfo(
    "every",
    "truth",
    (_count("n", "how often the line is reached in between"),),
    "Whether the line is reached for the n-th, 2n-th, … time; counted for the breakpoint as a whole, also "
    "where the rest of the condition did not hold.",
    "the line is reached for each {n_th} time",
    "tp.every(100)",
    "Every N steps…",
    "tp.every({n})",
)
OUTSIDE = FunctionInfo(
    "outside",
    "truth",
    (
        X,
        Argument("lo", "the smallest value that is right"),
        Argument("hi", "the largest value that is right"),
    ),
    "Whether any element of x is below lo, above hi, or NaN.",
    "{x} has a value outside {lo} to {hi}",
    "tp.outside(out, 0, 1)",
    "Value out of range…",
    "tp.outside({name}, {lo}, {hi})",
)
CHANGED = FunctionInfo(
    "changed",
    "truth",
    (X,),
    "Whether x has other elements than when it was looked at last; the first look only remembers. "
    "All of x is read each time.",
    "{x} is not what it was the last time",
    "tp.changed(model.embedding.weight)",
    "Value changes…",
    "tp.changed({name})",
)
DEAD = FunctionInfo(
    "dead",
    "truth",
    (X, Argument("share", "of the units", 0.9, 0)),
    "Whether so many units of an activation give one and the same value for all rows of the batch, as dead "
    "ReLUs and saturated sigmoids do. With a single row, whether so many are 0.",
    "at least {share} of the units of {x} give one value for the whole batch",
    "tp.dead(hidden, share=0.9)",
    "Activation is dead…",
    "tp.dead({name}, share={share})",
)
PLATEAU = FunctionInfo(
    "plateau",
    "truth",
    (
        X,
        _count("window", "values without progress", 1000, 10, MOST_PLATEAU),
        Argument("fall", "share that counts as progress", 0.001, 0),
    ),
    "Whether x has not fallen over the last values, beyond its noise.",
    "{x} has not fallen by {fall} in the last {window} values",
    "tp.plateau(loss, window=1000)",
    "Stops falling…",
    "tp.plateau({name}, window={window})",
)
SHAPE = FunctionInfo(
    "shape",
    "shape",
    (X,),
    "The shape of x as a tuple; of a list or module, the shapes of what is in it.",
    "the shape of {x}",
    "tp.shape(x) != (64, 10)",
)
NORM = FunctionInfo(
    "norm",
    "number",
    (VALUES,),
    "The Euclidean norm of all elements together.",
    "the norm of {values}",
    "tp.norm(w.grad) > 10",
)
MEAN = FunctionInfo(
    "mean",
    "number",
    (X,),
    "The mean of all elements.",
    "the mean of {x}",
    "tp.mean(out) < 0.5",
)
MIN = FunctionInfo(
    "min",
    "number",
    (X,),
    "The smallest element; NaN where one is NaN.",
    "the smallest value of {x}",
    "tp.min(probabilities) < 0",
)
MAX = FunctionInfo(
    "max",
    "number",
    (X,),
    "The largest element; NaN where one is NaN.",
    "the largest value of {x}",
    "tp.max(logits) > 100",
)
AFTER_STEP = FunctionInfo(
    "after_step",
    "truth",
    (_count("n", "optimizer steps", least=0),),
    "Whether at least n optimizer steps are done.",
    "at least {n} optimizer steps are done",
    "tp.after_step(1000) and tp.norm(w.grad) > 10",
)
STEP = FunctionInfo(
    "step",
    "number",
    (),
    "How many optimizer steps are done. In a program without torch, how often the line was reached before.",
    "the number of optimizer steps done",
    "tp.step() == 500",
)
EPOCH = FunctionInfo(
    "epoch",
    "number",
    (),
    "How many passes over its DataLoader the training has begun before this one; −1 while that is unknown.",
    "the epoch",
    "tp.epoch() == 3",
)
RANK = FunctionInfo(
    "rank",
    "number",
    (),
    "The rank of this process among those that train together; 0 where it trains alone.",
    "the rank",
    "tp.rank() == 0 and tp.nonfinite(loss)",
)
LINE = FunctionInfo(
    "line",
    "text",
    (X,),
    "The summary of x, as the Variables view shows it; for log messages.",
    "the summary of {x}",
    "{tp.line(loss)}",
)

FUNCTIONS: tuple[FunctionInfo, ...] = (
    SPIKE,
    NONFINITE,
    GRAD_NORM,
    EVERY,
    OUTSIDE,
    CHANGED,
    DEAD,
    PLATEAU,
    SHAPE,
    NORM,
    MEAN,
    MIN,
    MAX,
    AFTER_STEP,
    STEP,
    EPOCH,
    RANK,
    LINE,
)
BY_NAME = {info.name: info for info in FUNCTIONS}
