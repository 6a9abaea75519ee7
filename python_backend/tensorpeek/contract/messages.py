"""Generated from wire.schema.json by `python -m tensorpeek.contract.generate`. Do not edit."""

from __future__ import annotations

from typing import Any, Literal, TypedDict, Union

CONTRACT_VERSION = 1

DebugRequest = Literal["tensorpeek/tensors", "tensorpeek/inlineValues"]
"""Custom DAP requests that our adapter answers."""

DebugEvent = Literal["tensorpeek/mode", "tensorpeek/process"]
"""Custom DAP events that our adapter sends."""

ServerRequest = Literal["tensorpeek/evaluatableExpression"]
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
