"""Every training-wide condition, in the order of the check boxes."""

from __future__ import annotations

from tensorpeek.catalogue.condition_info import COOLDOWN, WARMUP, ConditionInfo, Parameter

FACTOR = "times the usual value"

NAN_LOSS = ConditionInfo(
    "nan-loss",
    "NaN or Inf in the loss",
    "Stops at backward() when the loss is not finite, and names the operation that made the first NaN.",
    (),
    ("nan",),
)
NAN_GRADIENT = ConditionInfo(
    "nan-gradient",
    "NaN or Inf in gradients",
    "Stops before the optimizer's step when a gradient is not finite, and names the operation that made it.",
    (),
    ("nan",),
)
NAN_FORWARD = ConditionInfo(
    "nan-forward",
    "NaN or Inf in forward",
    "Stops when the output of a module is not finite although its inputs are. Masks with −inf are meant.",
    (),
    ("nan",),
)
LOSS_SPIKE = ConditionInfo(
    "loss-spike",
    "Loss spike",
    "Stops at backward() when the loss jumps far above its last values (median and spread of a window).",
    (
        Parameter("factor", 8, "spreads above the median"),
        Parameter("window", 50, "last losses that are compared"),
        WARMUP,
        COOLDOWN,
    ),
    ("spike",),
)
EXPLODING_GRADIENT = ConditionInfo(
    "exploding-gradient",
    "Exploding gradient",
    "Stops before the optimizer's step when the gradient norm is far above its last values, or huge.",
    (
        Parameter("factor", 20, FACTOR),
        Parameter("norm", 1e6, "a norm that is too large in any case"),
        Parameter("window", 50, "last norms that are compared"),
        WARMUP,
        COOLDOWN,
    ),
    ("exploding",),
)
VANISHING_GRADIENT = ConditionInfo(
    "vanishing-gradient",
    "Vanishing gradient",
    "Stops when the gradients of early layers are almost nothing beside those of late ones, for many steps.",
    (
        Parameter("ratio", 1e-5, "of the gradient per weight of late layers"),
        Parameter("window", 20, "measured steps in a row"),
        COOLDOWN,
    ),
    ("vanishing",),
)
UPDATE_SIZE = ConditionInfo(
    "update-size",
    "Update too large or too small",
    "Stops when a step changes weights by far more, or far less, of their size than training needs.",
    (
        Parameter("largest", 0.5, "update as a share of the weight"),
        Parameter("smallest", 1e-6, "update as a share of the weight"),
        Parameter("window", 10, "last losses and measured steps"),
        WARMUP,
        COOLDOWN,
    ),
    ("update",),
)
DEAD_ACTIVATION = ConditionInfo(
    "dead-activation",
    "Dead ReLU, saturated activation",
    "Stops when most units of an activation never fire over many batches, or sit in its flat ends.",
    (
        Parameter("share", 0.9, "of the units that never fire"),
        Parameter("saturated", 0.95, "of the outputs at the flat ends"),
        Parameter("window", 5, "measured batches in a row"),
        COOLDOWN,
    ),
    ("dead",),
)
PARAMETER_UNUSED = ConditionInfo(
    "parameter-unused",
    "Parameter without gradient or optimizer",
    "Stops when a parameter gets no gradient, belongs to no optimizer, or is registered nowhere.",
    (Parameter("window", 3, "steps in a row"), COOLDOWN),
    ("unused",),
)
WEIGHTS_FROZEN = ConditionInfo(
    "weights-frozen",
    "Weights not changing",
    "Stops when weights get gradients and steps but do not change, as when updates are lost in bfloat16.",
    (Parameter("window", 10, "measured steps in a row"), COOLDOWN),
    ("frozen",),
)
LOSS_PLATEAU = ConditionInfo(
    "loss-plateau",
    "Loss not decreasing",
    "Stops when the loss has not fallen for many steps, beyond its noise.",
    (
        Parameter("window", 1000, "steps without progress"),
        Parameter("fall", 0.001, "share that counts as progress"),
        COOLDOWN,
    ),
    ("plateau",),
    is_recommended=False,
)
BAD_INPUT = ConditionInfo(
    "bad-input",
    "Batch not finite or out of range",
    "Stops before the first module when the batch has NaN or Inf, or values far outside the usual.",
    (
        Parameter("factor", 50, FACTOR),
        Parameter("spread", 1000, "a feature's size as a multiple of the others'"),
        COOLDOWN,
    ),
    ("input",),
)
MIXED_DEVICE = ConditionInfo(
    "mixed-device",
    "Tensors on different devices or dtypes",
    "Stops when a module gets a tensor of another device or dtype than its weights.",
    (COOLDOWN,),
    ("device", "dtype"),
)
SILENT_BROADCAST = ConditionInfo(
    "silent-broadcast",
    "Silent broadcast in a loss",
    "Stops when the loss is computed from two tensors that broadcast each other, as (N, 1) and (N,).",
    (COOLDOWN,),
    ("broadcast",),
)
SHAPE_ERROR = ConditionInfo(
    "shape-error",
    "Shapes that do not fit",
    "Stops where an operation fails since shapes disagree; says which, where they are from, and what helps.",
    (),
    ("shape", "shapes"),
)
OUT_OF_MEMORY = ConditionInfo(
    "out-of-memory",
    "Out of memory",
    "Stops where an allocation fails, and lists the largest tensors by name.",
    (),
    ("oom", "memory"),
)
STEP_SKIPPED = ConditionInfo(
    "step-skipped",
    "Optimizer step skipped",
    "Stops when a GradScaler leaves out steps one after the other.",
    (Parameter("window", 3, "skipped steps in a row"), WARMUP, COOLDOWN),
    ("skipped",),
)
GRADIENTS_KEPT = ConditionInfo(
    "gradients-kept",
    "Gradients never cleared",
    "Stops when backward() adds to the gradients of a step that was already taken: zero_grad() is missing.",
    (Parameter("window", 3, "steps in a row"), COOLDOWN),
    ("zero_grad",),
)
EVAL_MODE = ConditionInfo(
    "eval-mode",
    "Training in evaluation mode",
    "Stops when the model trains while modules that were in training mode before are in eval mode.",
    (Parameter("window", 2, "steps in a row"), COOLDOWN),
    ("eval",),
)
LOSS_INPUT = ConditionInfo(
    "loss-input",
    "Loss fed with the wrong thing",
    "Stops when a loss that wants logits gets probabilities, or the other way round.",
    (COOLDOWN,),
    ("logits",),
)
IDENTICAL_UNITS = ConditionInfo(
    "identical-units",
    "Identical units",
    "Stops when all units of a layer are equal and stay so: a constant initialization is never broken.",
    (Parameter("window", 3, "measured steps in a row"), COOLDOWN),
    ("init",),
)
GROWING_GRAPH = ConditionInfo(
    "growing-graph",
    "Graph, hooks or memory grow each step",
    "Stops when the graph of the loss reaches into earlier steps, or hooks and kept graphs add up.",
    (Parameter("window", 8, "steps in a row"), COOLDOWN),
    ("graph", "memory"),
)
MIXING_RESHAPE = ConditionInfo(
    "mixing-reshape",
    "Reshape that mixes",
    "Stops when a view or reshape stands where a transpose belongs, so that positions or samples mix.",
    (COOLDOWN,),
    ("reshape",),
)
DATA_LEAK = ConditionInfo(
    "data-leak",
    "Test data in the training",
    "Stops when the model is evaluated with rows that it was trained with; tells of statistics of all rows.",
    (COOLDOWN,),
    ("leak",),
)
SAMPLES_REPLACED = ConditionInfo(
    "samples-replaced",
    "Samples replaced after errors",
    "Stops when a data set catches the errors of many samples and gives others in their place.",
    (Parameter("share", 0.02, "of the samples"), COOLDOWN),
    ("samples",),
)

CONDITIONS: tuple[ConditionInfo, ...] = (
    NAN_LOSS,
    NAN_GRADIENT,
    NAN_FORWARD,
    LOSS_SPIKE,
    EXPLODING_GRADIENT,
    VANISHING_GRADIENT,
    UPDATE_SIZE,
    DEAD_ACTIVATION,
    PARAMETER_UNUSED,
    WEIGHTS_FROZEN,
    LOSS_PLATEAU,
    BAD_INPUT,
    MIXED_DEVICE,
    SILENT_BROADCAST,
    SHAPE_ERROR,
    OUT_OF_MEMORY,
    STEP_SKIPPED,
    GRADIENTS_KEPT,
    EVAL_MODE,
    LOSS_INPUT,
    IDENTICAL_UNITS,
    GROWING_GRAPH,
    MIXING_RESHAPE,
    DATA_LEAK,
    SAMPLES_REPLACED,
)
BY_ID = {info.id: info for info in CONDITIONS}


def chosen(words: str) -> tuple[ConditionInfo, ...]:
    """The conditions that a comma-separated list names, by id or alias, or as `all` and `recommended`.

    Raises KeyError with the first word that names nothing.
    """
    found: dict[str, ConditionInfo] = {}
    for word in filter(None, (part.strip() for part in words.split(","))):
        named = [
            info
            for info in CONDITIONS
            if word in (info.id, *info.aliases)
            or word == "all"
            or (word == "recommended" and info.is_recommended)
        ]
        if not named:
            raise KeyError(word)
        found.update((info.id, info) for info in named)
    return tuple(info for info in CONDITIONS if info.id in found)
