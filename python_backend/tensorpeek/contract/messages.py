"""Generated from wire.schema.json by `python -m tensorpeek.contract.generate`. Do not edit."""

from __future__ import annotations

from typing import Any, Literal, TypedDict, Union

CONTRACT_VERSION = 1

DebugRequest = Literal[
    "tensorpeek/tensors",
    "tensorpeek/inlineValues",
    "tensorpeek/training",
    "tensorpeek/trainingAction",
    "tensorpeek/recommend",
    "tensorpeek/traceShapes",
]
"""Custom DAP requests that our adapter answers."""

DebugEvent = Literal["tensorpeek/mode", "tensorpeek/process", "tensorpeek/finding"]
"""Custom DAP events that our adapter sends."""

ServerRequest = Literal[
    "tensorpeek/evaluatableExpression",
    "tensorpeek/trainingBreakpoints",
    "tensorpeek/explainCondition",
    "tensorpeek/modelMap",
]
"""LSP requests of our own that the language server answers; null where there is nothing to say."""

Number = Union[float, Literal["nan", "inf", "-inf"]]
"""A number that may be not finite. JSON has no NaN or infinities, so they are strings here and nowhere
else.
"""

Mode = Literal["active", "plain"]
"""Whether TensorPeek presents values in this session, or the session runs as plain debugpy."""

PresentationKind = Literal["tensor", "array", "frame", "container", "module", "optimizer", "other"]
"""What a value is, as far as menus and icons care."""

PresentationStyle = Literal["plain", "spark", "faint"]
"""How a text without an alarm is coloured where the client can."""


class _PresentationRequired(TypedDict):
    text: str
    """The line, plain text, alarm first."""
    kind: PresentationKind


class Presentation(_PresentationRequired, total=False):
    """How the probe says one value; the adapter turns it into DAP fields."""

    alarm: str
    """The part of the beginning of `text` that is an alarm, to be shown in red."""
    style: PresentationStyle
    pending: bool
    """The statistics are still to be asked for with `summarize`."""
    partial: bool
    """The statistics cover a part only; `refine` makes them exact."""
    lazy: bool
    """The text is costly and is made by `refine` when the user asks."""


class ConfigureArguments(TypedDict):
    """Sent once per debuggee, before its first value is shown."""

    valueBudgetMs: float
    """Milliseconds of work for one value."""
    answerBudgetMs: float
    """Milliseconds of work for one answer with many values."""


class ProcessInfo(TypedDict):
    """What the probe knows about the process it lives in."""

    pid: int
    name: str
    """The role in a few characters: `worker 0`, `rank 3`; empty for a main process."""
    python: str
    """The version, as in `3.11.7`."""
    torch: str
    """The version of torch, empty while torch is not imported."""
    numpy: str
    """The version of numpy, empty while numpy is not imported."""
    problem: str
    """Why values stay plain in this process, empty when they do not."""


class SummarizeArguments(TypedDict):
    """Asks for the statistics of values that came as pending."""

    references: list[int]
    """pydevd's variablesReference of each value."""
    budgetMs: float
    """Milliseconds for all of them together."""


class SummarizeResult(TypedDict):
    """What `summarize` found within its budget."""

    presentations: list[Presentation]
    """One per reference, in the same order."""


class RefineArguments(TypedDict):
    """One slice of the work that makes a value exact; repeated until done."""

    reference: int
    """pydevd's variablesReference of the value."""
    sliceMs: float
    """Milliseconds for this slice."""


class RefineResult(TypedDict):
    """How far a `refine` has come."""

    done: bool
    fraction: float
    """Share of the work done, 0 to 1."""
    presentation: Presentation


class LinesArguments(TypedDict):
    """Asks for short texts of names and attribute chains in a paused frame. No property and no call is
    run.
    """

    frameId: int
    expressions: list[str]
    """Dotted names only, as in `loss` or `self.weight`."""
    budgetMs: float


class LinesResult(TypedDict):
    """The short texts that `lines` was asked for."""

    texts: list[str]
    """One per expression, in the same order; empty where there is nothing to show."""


class _TensorsArgumentsRequired(TypedDict):
    frameId: int


class TensorsArguments(_TensorsArgumentsRequired, total=False):
    """Asks for every tensor reachable from a paused frame. Custom DAP request `tensorpeek/tensors`."""

    limit: int
    """The most rows wanted."""
    budgetMs: float


class TensorRow(TypedDict):
    """One tensor or array reachable from the frame."""

    expression: str
    """Python that yields this value in the frame."""
    type: str
    """The class name, as in `Parameter`."""
    shape: list[int]
    dtype: str
    """Short, as in `f32`."""
    device: str
    """As torch prints it, as in `cuda:0`."""
    bytes: int
    """Bytes of the elements seen through this value."""
    min: Number | None
    max: Number | None
    mean: Number | None
    exact: bool
    """Whether the numbers cover every element."""
    alarm: str
    """As in `NaN 3`; empty when healthy."""
    storage: str
    """Equal for values that share one storage; empty when unknown."""
    line: int
    """The line of the frame's file that last assigned the name, 0 when unknown."""


class TensorTable(TypedDict):
    """The answer to `tensorpeek/tensors`."""

    rows: list[TensorRow]
    truncated: bool
    """There are more tensors than the limits allowed to list."""
    path: str
    """The frame's file, empty when it has none."""


class InlineValuesArguments(TypedDict):
    """Custom DAP request `tensorpeek/inlineValues`: texts for the ends of the lines of a paused frame.
    Lines are 1-based.
    """

    frameId: int
    path: str
    """The file that the editor shows."""
    startLine: int
    endLine: int


class InlineValue(TypedDict):
    """A text for the end of a line, and the name it is about."""

    line: int
    """1-based."""
    startColumn: int
    """1-based, in UTF-16 code units."""
    endColumn: int
    """1-based and exclusive, in UTF-16 code units."""
    text: str
    """As in `x f32[64, 10]`."""


class InlineValuesResult(TypedDict):
    """The answer to `tensorpeek/inlineValues`."""

    values: list[InlineValue]


class ModeEvent(TypedDict):
    """Custom DAP event `tensorpeek/mode`."""

    mode: Mode
    reason: str
    """One sentence for the user."""


class ProcessEvent(TypedDict):
    """Custom DAP event `tensorpeek/process`: what the debuggee of this session is."""

    name: str
    """The role in a few characters: `worker 0`, `rank 3`."""


class _ProbeReplyRequired(TypedDict):
    contractVersion: int
    ok: bool


class ProbeReply(_ProbeReplyRequired, total=False):
    """What the probe answers to every call."""

    body: dict[str, Any]
    """The result of the command, absent when `ok` is false."""
    error: str
    """What went wrong, for the log."""


class SessionSettings(TypedDict, total=False):
    """The launch attribute `tensorpeek`, filled from the settings by the extension."""

    valueBudgetMs: float
    """Milliseconds of work for one value (20)."""
    answerBudgetMs: float
    """Milliseconds of work for one answer (60)."""
    accessToken: str
    """What an adapter that listens on a port was given in TENSORPEEK_ACCESS_TOKEN; it serves nobody else."""
    runsFolder: str
    """The folder `.tensorpeek/runs` of the workspace; by default that of the program's working directory."""
    budgetPercent: float
    """Share of the training's time that sampled checks of training-wide conditions may take (0.5)."""
    capsule: str
    """A capsule to begin with: the program stops at its first forward, with the state of that step."""
    traceFirstStep: bool
    """Whether the shapes of the training's first step are traced (true)."""


class _EvaluatableExpressionParamsRequired(TypedDict):
    uri: str
    line: int
    """Of the pointer, or of the beginning of the selection."""
    character: int


class EvaluatableExpressionParams(_EvaluatableExpressionParamsRequired, total=False):
    """LSP request `tensorpeek/evaluatableExpression`: the expression around a position, or that a
    selection consists of. Positions are 0-based, in UTF-16 code units.
    """

    endLine: int
    """Of the end of the selection; absent with `endCharacter` where nothing is selected."""
    endCharacter: int


class EvaluatableExpression(TypedDict):
    """Safe to evaluate by hovering: names, attributes, subscripts and operators on them, never a call."""

    expression: str
    startLine: int
    startCharacter: int
    endLine: int
    endCharacter: int


class RelatedLine(TypedDict):
    """A second line that belongs to a finding."""

    path: str
    line: int
    """1-based."""
    message: str
    """What happened there."""


class Finding(TypedDict):
    """One thing that went wrong in a training. A line of `findings.jsonl` in the run folder, and the
    body of the DAP event `tensorpeek/finding`.
    """

    number: int
    """Counts from 1 within a run and rank."""
    condition: str
    """The id of the condition, as in `loss-spike`."""
    title: str
    """Short, as in `NaN in gradients`."""
    message: str
    """The cause, for the user."""
    path: str
    """The file of the line that did it; empty when there is none."""
    line: int
    """1-based; 0 when there is none."""
    lineText: str
    """The line as it was, so that a finding goes when it is edited."""
    module: str
    """The path of the module concerned; empty when there is none."""
    step: int
    """Optimizer steps taken before; the first step is 0. -1 when nobody counts."""
    epoch: int
    """-1 when unknown."""
    rank: int
    """0 without torch.distributed."""
    time: str
    """ISO 8601 with the offset from UTC."""
    value: Number | None
    threshold: Number | None
    history: list[Number]
    """The last values up to this one, at most 100."""
    evidence: list[str]
    """Lines of monospace text."""
    next: list[str]
    """What to look at or to try next."""
    related: list[RelatedLine]
    stopped: bool
    """Whether the program was stopped for it."""


class RunInfo(TypedDict):
    """`run.json` in the run folder."""

    contractVersion: int
    program: str
    """As started."""
    arguments: list[str]
    started: str
    """ISO 8601 with the offset from UTC."""
    python: str
    torch: str
    """Empty while torch is not imported."""
    pid: int
    rank: int


class ConditionSettings(TypedDict):
    """A training-wide condition that is switched on."""

    condition: str
    """Its id."""
    settings: dict[str, Any]
    """Every parameter of the condition by name."""


class ConditionsArguments(TypedDict):
    """Probe command `conditions`: the training-wide conditions that are to hold from now on."""

    conditions: list[ConditionSettings]
    budgetPercent: float
    """Share of the training's time that sampled checks may take."""
    runsFolder: str
    """The folder `.tensorpeek/runs` to write into when there is something to write; empty for the one
    in the program's working directory.
    """
    capsule: str
    """A capsule to begin with; empty for none."""


class StopArguments(TypedDict):
    """Probe command `stop`: which thread is meant, by itself or by one of its frames. 0 is for not said."""

    threadId: int
    frameId: int


class StopInfo(TypedDict):
    """The answer of the probe's command `stop`: why the thread is stopped, if we stopped it."""

    finding: Finding | None
    scope: str
    """The name of the scope with the evidence; empty when it was not us."""
    values: int
    """The variablesReference of the evidence in pydevd; 0 for none."""


class LossState(TypedDict):
    """The last value of one loss."""

    name: str
    value: Number
    history: list[Number]
    """The last values, at most 60."""


class TrainingState(TypedDict):
    """The answer to `tensorpeek/training`: the training's clock and health. All numbers are 0 and lists
    empty before the first step.
    """

    step: int
    """Optimizer steps taken."""
    epoch: int
    """-1 when unknown."""
    stepMs: float
    """Median of the last steps."""
    losses: list[LossState]
    gradientNorm: Number | None
    learningRates: list[Number]
    overheadPercent: float
    """What our checks took of the training's time."""
    sampled: str
    """What is checked in a part of the steps only, for the user; empty when everything is checked in each."""
    blind: list[str]
    """What conditions can't see in this program, each a sentence, as inside of torch.compile."""
    findings: list[Finding]
    """The latest 100."""
    modules: list[str]
    """The module paths of the models seen, at most 2000."""
    runFolder: str
    """Empty while nothing was written."""


TrainingAction = Literal["skipStep", "dropBatch", "setLearningRate", "saveCapsule"]
"""What the user may do at a stop, before the weights change."""


class _TrainingActionArgumentsRequired(TypedDict):
    action: TrainingAction


class TrainingActionArguments(_TrainingActionArgumentsRequired, total=False):
    """Custom DAP request `tensorpeek/trainingAction`, and the probe's command `action`."""

    value: float
    """The new learning rate."""


class TrainingActionResult(TypedDict):
    """What was done."""

    message: str
    """For the user."""
    path: str
    """Of the capsule that was written; else empty."""


class Recommendation(TypedDict):
    """A condition that fits the model, with its settings."""

    condition: str
    """Its id."""
    settings: str
    """As in `factor=5 window=50`; empty for the defaults."""
    reason: str
    """Why, in one sentence."""


class Recommendations(TypedDict):
    """The answer to `tensorpeek/recommend`."""

    recommendations: list[Recommendation]
    basis: str
    """What was looked at, as in `12 steps of Net (3 layers)`."""


class NoArguments(TypedDict):
    """Of a request that needs none."""


class ModuleBreakpoint(TypedDict):
    """A function breakpoint `module:encoder.layers.* [backward]`, taken apart."""

    pattern: str
    """A module path with `*` for any part of it."""
    phase: Literal["forward", "backward"]
    condition: str
    """A Python expression over `module`, `inputs`, `output` and `tp`; empty for none."""
    hitCondition: str
    """As DAP has it; empty for none."""


class ModuleBreakpointsArguments(TypedDict):
    """Probe command `moduleBreakpoints`: all of them."""

    breakpoints: list[ModuleBreakpoint]


class CheckedBreakpoint(TypedDict):
    """Whether a breakpoint can work, in DAP's words."""

    verified: bool
    message: str


class CheckedBreakpoints(TypedDict):
    """One for each breakpoint of a request, in its order."""

    breakpoints: list[CheckedBreakpoint]


class WatchInfoArguments(TypedDict):
    """Probe command `watchInfo`: can this variable be watched for change?"""

    reference: int
    """The variablesReference of its container in pydevd; 0 for none."""
    name: str
    """Of the variable, or an expression."""
    frameId: int
    """0 for none."""


class WatchInfo(TypedDict):
    """The answer to `watchInfo`, for DAP's dataBreakpointInfo."""

    dataId: str
    """Empty when it can't be watched."""
    description: str
    """What is watched and what it costs, or why it can't be."""


class Watch(TypedDict):
    """A data breakpoint."""

    dataId: str
    condition: str
    """Empty for none."""
    hitCondition: str
    """Empty for none."""


class WatchesArguments(TypedDict):
    """Probe command `watches`: all data breakpoints."""

    watches: list[Watch]


class TrainingBreakpointsParams(TypedDict):
    """LSP request `tensorpeek/trainingBreakpoints`: what can be watched at a line. 0-based."""

    uri: str
    line: int


class TrainingBreakpointField(TypedDict):
    """A number of a condition that the user may change."""

    name: str
    default: float
    help: str


class TrainingBreakpointEntry(TypedDict):
    """An entry of the menu Add Training Breakpoint."""

    kind: str
    """As in `spike`; the name of the function of `tp`, or `expression`."""
    label: str
    """As in `Loss spike…`."""
    detail: str
    """When it stops, in one sentence."""
    names: list[str]
    """The expressions of the line and its function that it fits, best first; empty where it needs none."""
    fields: list[TrainingBreakpointField]
    template: str
    """The condition with `{name}` and `{field}` in it, as in `tp.spike({name}, factor={factor})`."""


class TrainingBreakpoints(TypedDict):
    """The answer, the best entries first."""

    line: int
    """Where a breakpoint can be, 0-based: the line itself, or the statement that it belongs to."""
    entries: list[TrainingBreakpointEntry]


class ConditionParams(TypedDict):
    """LSP request `tensorpeek/explainCondition`: an edited condition with `tp`."""

    text: str
    uri: str
    line: int
    """0-based."""


class ConditionCompletion(TypedDict):
    """What could stand at the end of the text."""

    text: str
    """The whole condition with it."""
    label: str
    detail: str


class ConditionExplanation(TypedDict):
    """The answer to `tensorpeek/explainCondition`."""

    problem: str
    """Why it can't work; empty when it can."""
    explanation: str
    """What it does, in a sentence or two."""
    completions: list[ConditionCompletion]


class ShapeItem(TypedDict):
    """One entry of a container, an output object or a dataclass."""

    key: str
    """An index, a key or a field, as `0`, `logits`."""
    value: ShapeValue


class ShapeValue(TypedDict):
    """What a traced expression gave: a tensor's shape, or what holds tensors. No data."""

    kind: Literal["tensor", "container", "number"]
    """`number` is an integer that is a dimension, as in `b, t, d = x.shape`."""
    type: str
    """The name of its class, as `Tensor`, `list`, `BaseModelOutput`, `PackedSequence`."""
    dims: list[str]
    """Of a tensor: `64`, or an expression in the names of `symbols`, as `B`, `2*T`. Of a number: one."""
    sizes: list[int]
    """What the dims were in the traced call; a size that depends on data and is not known is -1."""
    dtype: str
    """As `float32`; empty where there is none."""
    device: str
    """As `cpu`, `cuda:0`; empty where there is none."""
    items: list[ShapeItem]
    """Of a container that holds tensors, at most 20."""
    length: int
    """Entries of a container, 0 for the others."""


class TracedExpression(TypedDict):
    """An expression of the user's that gave a tensor or what holds tensors."""

    line: int
    """1-based."""
    column: int
    """0-based, in UTF-8 bytes, as `ast` counts."""
    endLine: int
    """1-based."""
    endColumn: int
    """Exclusive, in UTF-8 bytes."""
    values: list[ShapeValue]
    """The distinct ones, in the order in which they came, at most 20."""
    order: list[int]
    """Index into `values` of each evaluation, at most 200."""
    calls: int
    """How often it was evaluated."""
    flops: int
    """Floating-point operations of all evaluations, those of what it calls included; 0 where not counted."""


class TracedName(TypedDict):
    """A name that was bound to such a value: an assignment's target, an argument, a loop's variable."""

    name: str
    line: int
    """1-based."""
    column: int
    """0-based, in UTF-8 bytes, as `ast` counts."""
    endLine: int
    """1-based."""
    endColumn: int
    """Exclusive, in UTF-8 bytes."""
    values: list[ShapeValue]
    order: list[int]
    calls: int


class TracedFunction(TypedDict):
    """A function whose code was traced."""

    name: str
    """Qualified, as `Net.forward`."""
    line: int
    """Of `def`, 1-based."""
    endLine: int
    calls: int
    flops: int
    """Of all calls; 0 where not counted."""
    peakBytes: int
    """The most bytes of tensors made in it that were alive at once; 0 where not measured."""


class TracedFile(TypedDict):
    """What was traced in one file."""

    path: str
    """Absolute."""
    sha256: str
    """Of `text` in UTF-8."""
    text: str
    """The file as it was traced."""
    expressions: list[TracedExpression]
    names: list[TracedName]
    functions: list[TracedFunction]
    blocks: list[int]
    """First lines of the bodies of `if`, `else`, `for`, `while`, `except`, `case` that ran in traced
    functions, 1-based.
    """


class TracedModule(TypedDict):
    """A module of the traced model."""

    path: str
    """As `layer1.0.conv1`; empty for the model itself."""
    type: str
    """Its class."""
    file: str
    """Where its class is defined; empty for torch's own."""
    line: int
    """Of `class`, 1-based; 0 for torch's own."""
    callPath: str
    """The user's file that calls it first; empty where none does."""
    callLine: int
    """1-based; 0 where none does."""
    outputs: list[ShapeValue]
    """The distinct ones, in the order in which they came, at most 20; empty where no call gave a tensor."""
    order: list[int]
    """Index into `outputs` of each call, at most 200."""
    parameters: int
    """Elements, those below it included, each once."""
    trainable: int
    """Of these, those that get a gradient."""
    ownParameters: int
    """Elements that it holds itself, not those below it."""
    ownTrainable: int
    parameterBytes: int
    flops: int
    """Of all calls, those below it included, also of one that is only a list of those below it; 0 where
    not counted.
    """
    bytes: int
    """Of the outputs of all calls."""
    calls: int
    """One that raised included."""
    sameAs: str
    """The earlier path of a module that has two: what is below it is listed there only, and its numbers
    are those of all its calls. Empty for others.
    """
    tiedTo: str
    """An earlier module that holds a parameter of its own too; empty for others."""


class ShapeSymbol(TypedDict):
    """A dimension that is a name in `dims`."""

    name: str
    """As `B`, or as the user's code says."""
    size: int
    """In the traced call."""
    origin: str
    """Where the name is from, as `b, t, d = x.shape (model.py:12)` or `batch`."""


class ShapeRemark(TypedDict):
    """What a trace shows to be wrong, or why it ended early."""

    rule: str
    """As `outer-broadcast`, `shape-error`."""
    severity: Literal["error", "warning", "hint"]
    title: str
    message: str
    """The cause, for the user."""
    path: str
    line: int
    """1-based."""
    column: int
    """0-based, in UTF-8 bytes, as `ast` counts."""
    endLine: int
    """1-based."""
    endColumn: int
    """Exclusive, in UTF-8 bytes."""
    lineText: str
    """The line as it was."""
    evidence: list[str]
    """Monospace."""
    next: list[str]
    """What to do."""
    related: list[RelatedLine]


class ShapeTrace(TypedDict):
    """`shapes.json` of a run folder: the shapes of one traced forward pass."""

    contractVersion: int
    time: str
    """ISO 8601."""
    source: Literal["fake", "pair", "real", "step", "frame"]
    """`fake`: symbolic, without data; `pair`: two real passes with different batch sizes; `real`: one;
    `step`: the first training step; `frame`: from a paused frame, without data.
    """
    entry: str
    """What was called, as `Net.forward(x)`."""
    torch: str
    """Its version."""
    symbols: list[ShapeSymbol]
    files: list[TracedFile]
    modules: list[TracedModule]
    """The tree in depth-first order."""
    remarks: list[ShapeRemark]
    problem: str
    """Why the pass ended early or was not symbolic, for the user; empty when all went well."""
    truncated: bool
    """Whether something was left out for its size."""


class ModelMap(TypedDict):
    """What the view Model shows: the modules of a trace, with the lines as they are in the present text."""

    entry: str
    """What was called, as `Net.forward(x)`."""
    time: str
    """ISO 8601."""
    symbols: list[ShapeSymbol]
    modules: list[TracedModule]
    problem: str
    """Why the pass ended early or was not symbolic; empty when all went well."""
    changed: list[str]
    """The traced files whose text is another by now."""
    table: str
    """All of it as text, to copy."""


class ModelMapParams(TypedDict):
    """LSP request `tensorpeek/modelMap`."""

    uri: str
    """Of the file whose trace is wanted; where it has none, or this is empty, it is the newest of all."""


class FirstStepArguments(TypedDict):
    """Command `firstStep` of the probe."""

    isTraced: bool
    """Whether the shapes of the first training step are traced for free."""


class TraceFrameArguments(TypedDict):
    """DAP request `tensorpeek/traceShapes`: traces a call from a paused frame without data; the
    program's own objects stay as they are.
    """

    frameId: int
    expression: str
    """A call of a model, as `model(batch)`; empty for the call that the frame is, or else the next one
    from its line on.
    """


class TraceResult(TypedDict):
    """What a trace has left."""

    path: str
    """Of `shapes.json`; empty where nothing was traced."""
    entry: str
    expressions: int
    problem: str
    """For the user; empty when all went well."""


class Profile(TypedDict):
    """`profile.json` of a run folder: where the time and the memory of one training went. Times are
    seconds unless they say otherwise.
    """

    contractVersion: int
    time: str
    """When the program started, ISO 8601."""
    mode: Literal["training"]
    program: str
    """As started."""
    arguments: list[str]
    python: str
    torch: str
    """Empty where it was never imported."""
    device: str
    """`cpu`, or the name of the device that was used."""
    threads: int
    """Of torch, within an operation; 0 where that is not known."""
    state: Literal["running", "ended", "failed"]
    """`running` also where the process was killed: it is what was seen until then."""
    seconds: float
    """From the start of the program to its end, or to when this was written."""
    startUp: float
    """Until the first step had ended, which is slower than the others; all of it where nothing was
    trained.
    """
    steps: int
    """That have ended, the first one included."""
    measuredSteps: int
    """Those that `phases` and shares are of: without the first one and the window, where enough others
    are left.
    """
    measuredSeconds: float
    window: list[int]
    """The first and the last step whose operations were recorded; empty where none was."""
    phases: list[ProfiledPhase]
    """In the order of a step; `other` is the last."""
    stepTable: ProfiledSteps
    outliers: list[ProfiledStep]
    """The steps that took far longer than the others, the longest first."""
    lines: list[ProfiledLine]
    """The user's lines, by their own time."""
    sampling: Sampling
    stacks: ProfiledStacks
    loaders: list[ProfiledLoader]
    modules: list[ProfiledModule]
    """The tree in depth-first order."""
    ops: list[ProfiledOp]
    """By name and shapes, within the window, by their own time."""
    peakFlops: float
    """Per second, of a large multiplication of matrices that was tried on this machine; 0 where it was
    not tried.
    """
    syncs: list[ProfiledSync]
    memory: ProfiledMemory
    facts: list[ProfiledFact]
    advice: list[ProfileAdvice]
    """The most expected gain first."""
    problems: list[str]
    """What was not seen and why, each a sentence for the user."""
    truncated: bool
    """Whether rows were left out for the size."""


class ProfiledPhase(TypedDict):
    """A part of each step, without the parts inside of it."""

    name: Literal["data", "transfer", "forward", "backward", "optimizer", "other"]
    seconds: float
    share: float
    """Of the measured time, 0 to 1."""
    median: float
    """Seconds of a step."""


class ProfiledSteps(TypedDict):
    """Columns, a row for each `perRow` steps: so many that an hour has no more rows than a minute. The
    phases are in milliseconds.
    """

    perRow: int
    start: list[float]
    """Seconds since the program started."""
    seconds: list[float]
    data: list[float]
    transfer: list[float]
    forward: list[float]
    backward: list[float]
    optimizer: list[float]


class ProfiledStep(TypedDict):
    """One step."""

    step: int
    start: float
    seconds: float
    phase: str
    """Which took the time that the others do not take."""
    phaseSeconds: float


class ProfiledLine(TypedDict):
    """What samples say of a line. Where the program trains, the time of its start-up is apart."""

    path: str
    line: int
    function: str
    text: str
    """As the file says by now; empty where it can't be read."""
    self: float
    """While it was the innermost line of the user's."""
    total: float
    """While it was running, calls included."""
    native: float
    """Of `self`, within one call that did not come back to Python."""
    startUp: float
    """Of the time before the second step, calls included."""


class Sampling(TypedDict):
    """How lines were measured."""

    clock: Literal["wall", "cpu", "none"]
    interval: float
    samples: int
    seconds: float
    """What they stand for, start-up left out."""


class ProfiledStacks(TypedDict):
    """The calls, as a tree. A node stands behind its parent."""

    frames: list[StackPlace]
    parents: list[int]
    """Of each node, -1 for none."""
    frame: list[int]
    """Of each node: an index of `frames`."""
    seconds: list[float]
    """Of each node, its own."""


class StackPlace(TypedDict):
    """A line in a function. In libraries it is the first line of the function."""

    path: str
    line: int
    function: str
    isUsers: bool


class ProfiledLoader(TypedDict):
    """What gave the batches: a DataLoader, by where it is iterated over."""

    path: str
    line: int
    madePath: str
    madeLine: int
    """Where it was made; 0 where that is not known."""
    dataset: str
    """The class, and `datasetPath` and `datasetLine` its `__getitem__`."""
    datasetPath: str
    datasetLine: int
    workers: int
    persistent: bool
    batchSize: int
    batches: int
    wait: float
    """Of the program for all batches."""
    longest: float
    passes: int
    """Iterations that were begun."""
    firstWait: float
    """From the beginning of an iteration to its first batch, of all of them together: workers are
    started then.
    """
    passSeconds: float
    """Of the iterations from their beginning to their last batch."""


class ProfiledModule(TypedDict):
    """Forward by timers in some of the steps; backward and the rest of a step in the window."""

    path: str
    type: str
    sourcePath: str
    """Of `forward`; empty where it is not the user's."""
    line: int
    calls: int
    """In a step."""
    forward: float
    """Seconds in a step, its children included."""
    forwardSelf: float
    backward: float
    """Seconds in a step, children included; 0 without a window."""
    backwardSelf: float
    parameters: int


class ProfiledOp(TypedDict):
    """An operation."""

    name: str
    shapes: str
    device: str
    phase: str
    calls: float
    """In a step."""
    self: float
    """Seconds in a step."""
    total: float
    flops: float
    """In a step; 0 where they are not counted."""


class ProfiledSync(TypedDict):
    """A call of the user's that brings a value to Python: on a device it waits for all work before it."""

    path: str
    line: int
    text: str
    kind: str
    """As `item`, `cpu`, `print`."""
    calls: float
    """In a step."""
    seconds: float
    """In a step."""
    isDevice: bool
    """Whether the tensor was on a device."""


class ProfiledMemory(TypedDict):
    """Of the process, and of the device where there is one. Bytes."""

    time: list[float]
    """Seconds since the program started."""
    step: list[int]
    resident: list[float]
    device: list[float]
    """Allocated by torch; empty without one."""
    peakResident: float
    peakDevice: float
    growth: float
    """Of a step, in the second half of the steps; 0 where it does not grow steadily."""


class ProfiledFact(TypedDict):
    """What is known of the program beside its times."""

    kind: Literal["anomaly-mode", "list-of-arrays", "hidden-sync", "many-calls"]
    path: str
    line: int
    text: str
    count: float
    """Steps in the mode; else how often in the one step that was looked at."""
    words: str
    """The call, as `sub(…, alpha=scale)`; empty where there is no more to say."""


class ProfileAdvice(TypedDict):
    """What would help, with its evidence."""

    rule: str
    """Its name, which stays."""
    title: str
    message: str
    path: str
    line: int
    evidence: list[str]
    next: list[str]
    """What to do, the surest first."""
    gain: float
    """The share of a step that is expected to go away, 0 to 1; 0 where that can't be said."""
    related: list[RelatedLine]
