// Generated from wire.schema.json by `python -m tensorpeek.contract.generate`. Do not edit.

export const CONTRACT_VERSION = 1;

/** Custom DAP requests that our adapter answers. */
export interface DebugRequests {
  readonly "tensorpeek/tensors": { readonly arguments: TensorsArguments; readonly result: TensorTable };
  readonly "tensorpeek/inlineValues": { readonly arguments: InlineValuesArguments; readonly result: InlineValuesResult };
  readonly "tensorpeek/training": { readonly arguments: NoArguments; readonly result: TrainingState };
  readonly "tensorpeek/trainingAction": { readonly arguments: TrainingActionArguments; readonly result: TrainingActionResult };
  readonly "tensorpeek/recommend": { readonly arguments: NoArguments; readonly result: Recommendations };
  readonly "tensorpeek/traceShapes": { readonly arguments: TraceFrameArguments; readonly result: TraceResult };
}

/** Custom DAP events that our adapter sends. */
export interface DebugEvents {
  readonly "tensorpeek/mode": { readonly body: ModeEvent };
  readonly "tensorpeek/process": { readonly body: ProcessEvent };
  readonly "tensorpeek/finding": { readonly body: Finding };
}

/** LSP requests of our own that the language server answers; null where there is nothing to say. */
export interface ServerRequests {
  readonly "tensorpeek/evaluatableExpression": { readonly params: EvaluatableExpressionParams; readonly result: EvaluatableExpression | null };
  readonly "tensorpeek/trainingBreakpoints": { readonly params: TrainingBreakpointsParams; readonly result: TrainingBreakpoints | null };
  readonly "tensorpeek/explainCondition": { readonly params: ConditionParams; readonly result: ConditionExplanation };
  readonly "tensorpeek/modelMap": { readonly params: ModelMapParams; readonly result: ModelMap | null };
}

/** A number that may be not finite. JSON has no NaN or infinities, so they are strings here and nowhere else. */
export type Number = number | "nan" | "inf" | "-inf";

/** Whether TensorPeek presents values in this session, or the session runs as plain debugpy. */
export type Mode = "active" | "plain";

/** What a value is, as far as menus and icons care. */
export type PresentationKind = "tensor" | "array" | "frame" | "container" | "module" | "optimizer" | "other";

/** How a text without an alarm is coloured where the client can. */
export type PresentationStyle = "plain" | "spark" | "faint";

/** How the probe says one value; the adapter turns it into DAP fields. */
export interface Presentation {
  /** The line, plain text, alarm first. */
  readonly text: string;
  /** The part of the beginning of `text` that is an alarm, to be shown in red. */
  readonly alarm?: string;
  readonly style?: PresentationStyle;
  readonly kind: PresentationKind;
  /** The statistics are still to be asked for with `summarize`. */
  readonly pending?: boolean;
  /** The statistics cover a part only; `refine` makes them exact. */
  readonly partial?: boolean;
  /** The text is costly and is made by `refine` when the user asks. */
  readonly lazy?: boolean;
}

/** Sent once per debuggee, before its first value is shown. */
export interface ConfigureArguments {
  /** Milliseconds of work for one value. */
  readonly valueBudgetMs: number;
  /** Milliseconds of work for one answer with many values. */
  readonly answerBudgetMs: number;
}

/** What the probe knows about the process it lives in. */
export interface ProcessInfo {
  readonly pid: number;
  /** The role in a few characters: `worker 0`, `rank 3`; empty for a main process. */
  readonly name: string;
  /** The version, as in `3.11.7`. */
  readonly python: string;
  /** The version of torch, empty while torch is not imported. */
  readonly torch: string;
  /** The version of numpy, empty while numpy is not imported. */
  readonly numpy: string;
  /** Why values stay plain in this process, empty when they do not. */
  readonly problem: string;
}

/** Asks for the statistics of values that came as pending. */
export interface SummarizeArguments {
  /** pydevd's variablesReference of each value. */
  readonly references: readonly number[];
  /** Milliseconds for all of them together. */
  readonly budgetMs: number;
}

/** What `summarize` found within its budget. */
export interface SummarizeResult {
  /** One per reference, in the same order. */
  readonly presentations: readonly Presentation[];
}

/** One slice of the work that makes a value exact; repeated until done. */
export interface RefineArguments {
  /** pydevd's variablesReference of the value. */
  readonly reference: number;
  /** Milliseconds for this slice. */
  readonly sliceMs: number;
}

/** How far a `refine` has come. */
export interface RefineResult {
  readonly done: boolean;
  /** Share of the work done, 0 to 1. */
  readonly fraction: number;
  readonly presentation: Presentation;
}

/** Asks for short texts of names and attribute chains in a paused frame. No property and no call is run. */
export interface LinesArguments {
  readonly frameId: number;
  /** Dotted names only, as in `loss` or `self.weight`. */
  readonly expressions: readonly string[];
  readonly budgetMs: number;
}

/** The short texts that `lines` was asked for. */
export interface LinesResult {
  /** One per expression, in the same order; empty where there is nothing to show. */
  readonly texts: readonly string[];
}

/** Asks for every tensor reachable from a paused frame. Custom DAP request `tensorpeek/tensors`. */
export interface TensorsArguments {
  readonly frameId: number;
  /** The most rows wanted. */
  readonly limit?: number;
  readonly budgetMs?: number;
}

/** One tensor or array reachable from the frame. */
export interface TensorRow {
  /** Python that yields this value in the frame. */
  readonly expression: string;
  /** The class name, as in `Parameter`. */
  readonly type: string;
  readonly shape: readonly number[];
  /** Short, as in `f32`. */
  readonly dtype: string;
  /** As torch prints it, as in `cuda:0`. */
  readonly device: string;
  /** Bytes of the elements seen through this value. */
  readonly bytes: number;
  readonly min: Number | null;
  readonly max: Number | null;
  readonly mean: Number | null;
  /** Whether the numbers cover every element. */
  readonly exact: boolean;
  /** As in `NaN 3`; empty when healthy. */
  readonly alarm: string;
  /** Equal for values that share one storage; empty when unknown. */
  readonly storage: string;
  /** The line of the frame's file that last assigned the name, 0 when unknown. */
  readonly line: number;
}

/** The answer to `tensorpeek/tensors`. */
export interface TensorTable {
  readonly rows: readonly TensorRow[];
  /** There are more tensors than the limits allowed to list. */
  readonly truncated: boolean;
  /** The frame's file, empty when it has none. */
  readonly path: string;
}

/** Custom DAP request `tensorpeek/inlineValues`: texts for the ends of the lines of a paused frame. Lines are 1-based. */
export interface InlineValuesArguments {
  readonly frameId: number;
  /** The file that the editor shows. */
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
}

/** A text for the end of a line, and the name it is about. */
export interface InlineValue {
  /** 1-based. */
  readonly line: number;
  /** 1-based, in UTF-16 code units. */
  readonly startColumn: number;
  /** 1-based and exclusive, in UTF-16 code units. */
  readonly endColumn: number;
  /** As in `x f32[64, 10]`. */
  readonly text: string;
}

/** The answer to `tensorpeek/inlineValues`. */
export interface InlineValuesResult {
  readonly values: readonly InlineValue[];
}

/** Custom DAP event `tensorpeek/mode`. */
export interface ModeEvent {
  readonly mode: Mode;
  /** One sentence for the user. */
  readonly reason: string;
}

/** Custom DAP event `tensorpeek/process`: what the debuggee of this session is. */
export interface ProcessEvent {
  /** The role in a few characters: `worker 0`, `rank 3`. */
  readonly name: string;
}

/** What the probe answers to every call. */
export interface ProbeReply {
  readonly contractVersion: number;
  readonly ok: boolean;
  /** The result of the command, absent when `ok` is false. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** What went wrong, for the log. */
  readonly error?: string;
}

/** The launch attribute `tensorpeek`, filled from the settings by the extension. */
export interface SessionSettings {
  /** Milliseconds of work for one value (20). */
  readonly valueBudgetMs?: number;
  /** Milliseconds of work for one answer (60). */
  readonly answerBudgetMs?: number;
  /** What an adapter that listens on a port was given in TENSORPEEK_ACCESS_TOKEN; it serves nobody else. */
  readonly accessToken?: string;
  /** The folder `.tensorpeek/runs` of the workspace; by default that of the program's working directory. */
  readonly runsFolder?: string;
  /** Share of the training's time that sampled checks of training-wide conditions may take (0.5). */
  readonly budgetPercent?: number;
  /** A capsule to begin with: the program stops at its first forward, with the state of that step. */
  readonly capsule?: string;
  /** Whether the shapes of the training's first step are traced (true). */
  readonly traceFirstStep?: boolean;
}

/** LSP request `tensorpeek/evaluatableExpression`: the expression around a position, or that a selection consists of. Positions are 0-based, in UTF-16 code units. */
export interface EvaluatableExpressionParams {
  readonly uri: string;
  /** Of the pointer, or of the beginning of the selection. */
  readonly line: number;
  readonly character: number;
  /** Of the end of the selection; absent with `endCharacter` where nothing is selected. */
  readonly endLine?: number;
  readonly endCharacter?: number;
}

/** Safe to evaluate by hovering: names, attributes, subscripts and operators on them, never a call. */
export interface EvaluatableExpression {
  readonly expression: string;
  readonly startLine: number;
  readonly startCharacter: number;
  readonly endLine: number;
  readonly endCharacter: number;
}

/** A second line that belongs to a finding. */
export interface RelatedLine {
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  /** What happened there. */
  readonly message: string;
}

/** One thing that went wrong in a training. A line of `findings.jsonl` in the run folder, and the body of the DAP event `tensorpeek/finding`. */
export interface Finding {
  /** Counts from 1 within a run and rank. */
  readonly number: number;
  /** The id of the condition, as in `loss-spike`. */
  readonly condition: string;
  /** Short, as in `NaN in gradients`. */
  readonly title: string;
  /** The cause, for the user. */
  readonly message: string;
  /** The file of the line that did it; empty when there is none. */
  readonly path: string;
  /** 1-based; 0 when there is none. */
  readonly line: number;
  /** The line as it was, so that a finding goes when it is edited. */
  readonly lineText: string;
  /** The path of the module concerned; empty when there is none. */
  readonly module: string;
  /** Optimizer steps taken before; the first step is 0. -1 when nobody counts. */
  readonly step: number;
  /** -1 when unknown. */
  readonly epoch: number;
  /** 0 without torch.distributed. */
  readonly rank: number;
  /** ISO 8601 with the offset from UTC. */
  readonly time: string;
  readonly value: Number | null;
  readonly threshold: Number | null;
  /** The last values up to this one, at most 100. */
  readonly history: readonly Number[];
  /** Lines of monospace text. */
  readonly evidence: readonly string[];
  /** What to look at or to try next. */
  readonly next: readonly string[];
  readonly related: readonly RelatedLine[];
  /** Whether the program was stopped for it. */
  readonly stopped: boolean;
}

/** `run.json` in the run folder. */
export interface RunInfo {
  readonly contractVersion: number;
  /** As started. */
  readonly program: string;
  readonly arguments: readonly string[];
  /** ISO 8601 with the offset from UTC. */
  readonly started: string;
  readonly python: string;
  /** Empty while torch is not imported. */
  readonly torch: string;
  readonly pid: number;
  readonly rank: number;
}

/** A training-wide condition that is switched on. */
export interface ConditionSettings {
  /** Its id. */
  readonly condition: string;
  /** Every parameter of the condition by name. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Probe command `conditions`: the training-wide conditions that are to hold from now on. */
export interface ConditionsArguments {
  readonly conditions: readonly ConditionSettings[];
  /** Share of the training's time that sampled checks may take. */
  readonly budgetPercent: number;
  /** The folder `.tensorpeek/runs` to write into when there is something to write; empty for the one in the program's working directory. */
  readonly runsFolder: string;
  /** A capsule to begin with; empty for none. */
  readonly capsule: string;
}

/** Probe command `stop`: which thread is meant, by itself or by one of its frames. 0 is for not said. */
export interface StopArguments {
  readonly threadId: number;
  readonly frameId: number;
}

/** The answer of the probe's command `stop`: why the thread is stopped, if we stopped it. */
export interface StopInfo {
  readonly finding: Finding | null;
  /** The name of the scope with the evidence; empty when it was not us. */
  readonly scope: string;
  /** The variablesReference of the evidence in pydevd; 0 for none. */
  readonly values: number;
}

/** The last value of one loss. */
export interface LossState {
  readonly name: string;
  readonly value: Number;
  /** The last values, at most 60. */
  readonly history: readonly Number[];
}

/** The answer to `tensorpeek/training`: the training's clock and health. All numbers are 0 and lists empty before the first step. */
export interface TrainingState {
  /** Optimizer steps taken. */
  readonly step: number;
  /** -1 when unknown. */
  readonly epoch: number;
  /** Median of the last steps. */
  readonly stepMs: number;
  readonly losses: readonly LossState[];
  readonly gradientNorm: Number | null;
  readonly learningRates: readonly Number[];
  /** What our checks took of the training's time. */
  readonly overheadPercent: number;
  /** What is checked in a part of the steps only, for the user; empty when everything is checked in each. */
  readonly sampled: string;
  /** What conditions can't see in this program, each a sentence, as inside of torch.compile. */
  readonly blind: readonly string[];
  /** The latest 100. */
  readonly findings: readonly Finding[];
  /** The module paths of the models seen, at most 2000. */
  readonly modules: readonly string[];
  /** Empty while nothing was written. */
  readonly runFolder: string;
}

/** What the user may do at a stop, before the weights change. */
export type TrainingAction = "skipStep" | "dropBatch" | "setLearningRate" | "saveCapsule";

/** Custom DAP request `tensorpeek/trainingAction`, and the probe's command `action`. */
export interface TrainingActionArguments {
  readonly action: TrainingAction;
  /** The new learning rate. */
  readonly value?: number;
}

/** What was done. */
export interface TrainingActionResult {
  /** For the user. */
  readonly message: string;
  /** Of the capsule that was written; else empty. */
  readonly path: string;
}

/** A condition that fits the model, with its settings. */
export interface Recommendation {
  /** Its id. */
  readonly condition: string;
  /** As in `factor=5 window=50`; empty for the defaults. */
  readonly settings: string;
  /** Why, in one sentence. */
  readonly reason: string;
}

/** The answer to `tensorpeek/recommend`. */
export interface Recommendations {
  readonly recommendations: readonly Recommendation[];
  /** What was looked at, as in `12 steps of Net (3 layers)`. */
  readonly basis: string;
}

/** Of a request that needs none. */
export interface NoArguments {
}

/** A function breakpoint `module:encoder.layers.* [backward]`, taken apart. */
export interface ModuleBreakpoint {
  /** A module path with `*` for any part of it. */
  readonly pattern: string;
  readonly phase: "forward" | "backward";
  /** A Python expression over `module`, `inputs`, `output` and `tp`; empty for none. */
  readonly condition: string;
  /** As DAP has it; empty for none. */
  readonly hitCondition: string;
}

/** Probe command `moduleBreakpoints`: all of them. */
export interface ModuleBreakpointsArguments {
  readonly breakpoints: readonly ModuleBreakpoint[];
}

/** Whether a breakpoint can work, in DAP's words. */
export interface CheckedBreakpoint {
  readonly verified: boolean;
  readonly message: string;
}

/** One for each breakpoint of a request, in its order. */
export interface CheckedBreakpoints {
  readonly breakpoints: readonly CheckedBreakpoint[];
}

/** Probe command `watchInfo`: can this variable be watched for change? */
export interface WatchInfoArguments {
  /** The variablesReference of its container in pydevd; 0 for none. */
  readonly reference: number;
  /** Of the variable, or an expression. */
  readonly name: string;
  /** 0 for none. */
  readonly frameId: number;
}

/** The answer to `watchInfo`, for DAP's dataBreakpointInfo. */
export interface WatchInfo {
  /** Empty when it can't be watched. */
  readonly dataId: string;
  /** What is watched and what it costs, or why it can't be. */
  readonly description: string;
}

/** A data breakpoint. */
export interface Watch {
  readonly dataId: string;
  /** Empty for none. */
  readonly condition: string;
  /** Empty for none. */
  readonly hitCondition: string;
}

/** Probe command `watches`: all data breakpoints. */
export interface WatchesArguments {
  readonly watches: readonly Watch[];
}

/** LSP request `tensorpeek/trainingBreakpoints`: what can be watched at a line. 0-based. */
export interface TrainingBreakpointsParams {
  readonly uri: string;
  readonly line: number;
}

/** A number of a condition that the user may change. */
export interface TrainingBreakpointField {
  readonly name: string;
  readonly default: number;
  readonly help: string;
}

/** An entry of the menu Add Training Breakpoint. */
export interface TrainingBreakpointEntry {
  /** As in `spike`; the name of the function of `tp`, or `expression`. */
  readonly kind: string;
  /** As in `Loss spike…`. */
  readonly label: string;
  /** When it stops, in one sentence. */
  readonly detail: string;
  /** The expressions of the line and its function that it fits, best first; empty where it needs none. */
  readonly names: readonly string[];
  readonly fields: readonly TrainingBreakpointField[];
  /** The condition with `{name}` and `{field}` in it, as in `tp.spike({name}, factor={factor})`. */
  readonly template: string;
}

/** The answer, the best entries first. */
export interface TrainingBreakpoints {
  /** Where a breakpoint can be, 0-based: the line itself, or the statement that it belongs to. */
  readonly line: number;
  readonly entries: readonly TrainingBreakpointEntry[];
}

/** LSP request `tensorpeek/explainCondition`: an edited condition with `tp`. */
export interface ConditionParams {
  readonly text: string;
  readonly uri: string;
  /** 0-based. */
  readonly line: number;
}

/** What could stand at the end of the text. */
export interface ConditionCompletion {
  /** The whole condition with it. */
  readonly text: string;
  readonly label: string;
  readonly detail: string;
}

/** The answer to `tensorpeek/explainCondition`. */
export interface ConditionExplanation {
  /** Why it can't work; empty when it can. */
  readonly problem: string;
  /** What it does, in a sentence or two. */
  readonly explanation: string;
  readonly completions: readonly ConditionCompletion[];
}

/** One entry of a container, an output object or a dataclass. */
export interface ShapeItem {
  /** An index, a key or a field, as `0`, `logits`. */
  readonly key: string;
  readonly value: ShapeValue;
}

/** What a traced expression gave: a tensor's shape, or what holds tensors. No data. */
export interface ShapeValue {
  /** `number` is an integer that is a dimension, as in `b, t, d = x.shape`. */
  readonly kind: "tensor" | "container" | "number";
  /** The name of its class, as `Tensor`, `list`, `BaseModelOutput`, `PackedSequence`. */
  readonly type: string;
  /** Of a tensor: `64`, or an expression in the names of `symbols`, as `B`, `2*T`. Of a number: one. */
  readonly dims: readonly string[];
  /** What the dims were in the traced call; a size that depends on data and is not known is -1. */
  readonly sizes: readonly number[];
  /** As `float32`; empty where there is none. */
  readonly dtype: string;
  /** As `cpu`, `cuda:0`; empty where there is none. */
  readonly device: string;
  /** Of a container that holds tensors, at most 20. */
  readonly items: readonly ShapeItem[];
  /** Entries of a container, 0 for the others. */
  readonly length: number;
}

/** An expression of the user's that gave a tensor or what holds tensors. */
export interface TracedExpression {
  /** 1-based. */
  readonly line: number;
  /** 0-based, in UTF-8 bytes, as `ast` counts. */
  readonly column: number;
  /** 1-based. */
  readonly endLine: number;
  /** Exclusive, in UTF-8 bytes. */
  readonly endColumn: number;
  /** The distinct ones, in the order in which they came, at most 20. */
  readonly values: readonly ShapeValue[];
  /** Index into `values` of each evaluation, at most 200. */
  readonly order: readonly number[];
  /** How often it was evaluated. */
  readonly calls: number;
  /** Floating-point operations of all evaluations, those of what it calls included; 0 where not counted. */
  readonly flops: number;
}

/** A name that was bound to such a value: an assignment's target, an argument, a loop's variable. */
export interface TracedName {
  readonly name: string;
  /** 1-based. */
  readonly line: number;
  /** 0-based, in UTF-8 bytes, as `ast` counts. */
  readonly column: number;
  /** 1-based. */
  readonly endLine: number;
  /** Exclusive, in UTF-8 bytes. */
  readonly endColumn: number;
  readonly values: readonly ShapeValue[];
  readonly order: readonly number[];
  readonly calls: number;
}

/** A function whose code was traced. */
export interface TracedFunction {
  /** Qualified, as `Net.forward`. */
  readonly name: string;
  /** Of `def`, 1-based. */
  readonly line: number;
  readonly endLine: number;
  readonly calls: number;
  /** Of all calls; 0 where not counted. */
  readonly flops: number;
  /** The most bytes of tensors made in it that were alive at once; 0 where not measured. */
  readonly peakBytes: number;
}

/** What was traced in one file. */
export interface TracedFile {
  /** Absolute. */
  readonly path: string;
  /** Of `text` in UTF-8. */
  readonly sha256: string;
  /** The file as it was traced. */
  readonly text: string;
  readonly expressions: readonly TracedExpression[];
  readonly names: readonly TracedName[];
  readonly functions: readonly TracedFunction[];
  /** First lines of the bodies of `if`, `else`, `for`, `while`, `except`, `case` that ran in traced functions, 1-based. */
  readonly blocks: readonly number[];
}

/** A module of the traced model. */
export interface TracedModule {
  /** As `layer1.0.conv1`; empty for the model itself. */
  readonly path: string;
  /** Its class. */
  readonly type: string;
  /** Where its class is defined; empty for torch's own. */
  readonly file: string;
  /** Of `class`, 1-based; 0 for torch's own. */
  readonly line: number;
  /** The user's file that calls it first; empty where none does. */
  readonly callPath: string;
  /** 1-based; 0 where none does. */
  readonly callLine: number;
  /** The distinct ones, in the order in which they came, at most 20; empty where no call gave a tensor. */
  readonly outputs: readonly ShapeValue[];
  /** Index into `outputs` of each call, at most 200. */
  readonly order: readonly number[];
  /** Elements, those below it included, each once. */
  readonly parameters: number;
  /** Of these, those that get a gradient. */
  readonly trainable: number;
  /** Elements that it holds itself, not those below it. */
  readonly ownParameters: number;
  readonly ownTrainable: number;
  readonly parameterBytes: number;
  /** Of all calls, those below it included, also of one that is only a list of those below it; 0 where not counted. */
  readonly flops: number;
  /** Of the outputs of all calls. */
  readonly bytes: number;
  /** One that raised included. */
  readonly calls: number;
  /** The earlier path of a module that has two: what is below it is listed there only, and its numbers are those of all its calls. Empty for others. */
  readonly sameAs: string;
  /** An earlier module that holds a parameter of its own too; empty for others. */
  readonly tiedTo: string;
}

/** A dimension that is a name in `dims`. */
export interface ShapeSymbol {
  /** As `B`, or as the user's code says. */
  readonly name: string;
  /** In the traced call. */
  readonly size: number;
  /** Where the name is from, as `b, t, d = x.shape (model.py:12)` or `batch`. */
  readonly origin: string;
}

/** What a trace shows to be wrong, or why it ended early. */
export interface ShapeRemark {
  /** As `outer-broadcast`, `shape-error`. */
  readonly rule: string;
  readonly severity: "error" | "warning" | "hint";
  readonly title: string;
  /** The cause, for the user. */
  readonly message: string;
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  /** 0-based, in UTF-8 bytes, as `ast` counts. */
  readonly column: number;
  /** 1-based. */
  readonly endLine: number;
  /** Exclusive, in UTF-8 bytes. */
  readonly endColumn: number;
  /** The line as it was. */
  readonly lineText: string;
  /** Monospace. */
  readonly evidence: readonly string[];
  /** What to do. */
  readonly next: readonly string[];
  readonly related: readonly RelatedLine[];
}

/** `shapes.json` of a run folder: the shapes of one traced forward pass. */
export interface ShapeTrace {
  readonly contractVersion: number;
  /** ISO 8601. */
  readonly time: string;
  /** `fake`: symbolic, without data; `pair`: two real passes with different batch sizes; `real`: one; `step`: the first training step; `frame`: from a paused frame, without data. */
  readonly source: "fake" | "pair" | "real" | "step" | "frame";
  /** What was called, as `Net.forward(x)`. */
  readonly entry: string;
  /** Its version. */
  readonly torch: string;
  readonly symbols: readonly ShapeSymbol[];
  readonly files: readonly TracedFile[];
  /** The tree in depth-first order. */
  readonly modules: readonly TracedModule[];
  readonly remarks: readonly ShapeRemark[];
  /** Why the pass ended early or was not symbolic, for the user; empty when all went well. */
  readonly problem: string;
  /** Whether something was left out for its size. */
  readonly truncated: boolean;
}

/** What the view Model shows: the modules of a trace, with the lines as they are in the present text. */
export interface ModelMap {
  /** What was called, as `Net.forward(x)`. */
  readonly entry: string;
  /** ISO 8601. */
  readonly time: string;
  readonly symbols: readonly ShapeSymbol[];
  readonly modules: readonly TracedModule[];
  /** Why the pass ended early or was not symbolic; empty when all went well. */
  readonly problem: string;
  /** The traced files whose text is another by now. */
  readonly changed: readonly string[];
  /** All of it as text, to copy. */
  readonly table: string;
}

/** LSP request `tensorpeek/modelMap`. */
export interface ModelMapParams {
  /** Of the file whose trace is wanted; where it has none, or this is empty, it is the newest of all. */
  readonly uri: string;
}

/** Command `firstStep` of the probe. */
export interface FirstStepArguments {
  /** Whether the shapes of the first training step are traced for free. */
  readonly isTraced: boolean;
}

/** DAP request `tensorpeek/traceShapes`: traces a call from a paused frame without data; the program's own objects stay as they are. */
export interface TraceFrameArguments {
  readonly frameId: number;
  /** A call of a model, as `model(batch)`; empty for the call that the frame is, or else the next one from its line on. */
  readonly expression: string;
}

/** What a trace has left. */
export interface TraceResult {
  /** Of `shapes.json`; empty where nothing was traced. */
  readonly path: string;
  readonly entry: string;
  readonly expressions: number;
  /** For the user; empty when all went well. */
  readonly problem: string;
}

/** `profile.json` of a run folder: where the time and the memory of one training went. Times are seconds unless they say otherwise. */
export interface Profile {
  readonly contractVersion: number;
  /** When the program started, ISO 8601. */
  readonly time: string;
  readonly mode: "training";
  /** As started. */
  readonly program: string;
  readonly arguments: readonly string[];
  readonly python: string;
  /** Empty where it was never imported. */
  readonly torch: string;
  /** `cpu`, or the name of the device that was used. */
  readonly device: string;
  /** Of torch, within an operation; 0 where that is not known. */
  readonly threads: number;
  /** `running` also where the process was killed: it is what was seen until then. */
  readonly state: "running" | "ended" | "failed";
  /** From the start of the program to its end, or to when this was written. */
  readonly seconds: number;
  /** Until the first step had ended, which is slower than the others; all of it where nothing was trained. */
  readonly startUp: number;
  /** That have ended, the first one included. */
  readonly steps: number;
  /** Those that `phases` and shares are of: without the first one and the window, where enough others are left. */
  readonly measuredSteps: number;
  readonly measuredSeconds: number;
  /** The first and the last step whose operations were recorded; empty where none was. */
  readonly window: readonly number[];
  /** In the order of a step; `other` is the last. */
  readonly phases: readonly ProfiledPhase[];
  readonly stepTable: ProfiledSteps;
  /** The steps that took far longer than the others, the longest first. */
  readonly outliers: readonly ProfiledStep[];
  /** The user's lines, by their own time. */
  readonly lines: readonly ProfiledLine[];
  readonly sampling: Sampling;
  readonly stacks: ProfiledStacks;
  readonly loaders: readonly ProfiledLoader[];
  /** The tree in depth-first order. */
  readonly modules: readonly ProfiledModule[];
  /** By name and shapes, within the window, by their own time. */
  readonly ops: readonly ProfiledOp[];
  /** Per second, of a large multiplication of matrices that was tried on this machine; 0 where it was not tried. */
  readonly peakFlops: number;
  readonly syncs: readonly ProfiledSync[];
  readonly memory: ProfiledMemory;
  readonly facts: readonly ProfiledFact[];
  /** The most expected gain first. */
  readonly advice: readonly ProfileAdvice[];
  /** What was not seen and why, each a sentence for the user. */
  readonly problems: readonly string[];
  /** Whether rows were left out for the size. */
  readonly truncated: boolean;
}

/** A part of each step, without the parts inside of it. */
export interface ProfiledPhase {
  readonly name: "data" | "transfer" | "forward" | "backward" | "optimizer" | "other";
  readonly seconds: number;
  /** Of the measured time, 0 to 1. */
  readonly share: number;
  /** Seconds of a step. */
  readonly median: number;
}

/** Columns, a row for each `perRow` steps: so many that an hour has no more rows than a minute. The phases are in milliseconds. */
export interface ProfiledSteps {
  readonly perRow: number;
  /** Seconds since the program started. */
  readonly start: readonly number[];
  readonly seconds: readonly number[];
  readonly data: readonly number[];
  readonly transfer: readonly number[];
  readonly forward: readonly number[];
  readonly backward: readonly number[];
  readonly optimizer: readonly number[];
}

/** One step. */
export interface ProfiledStep {
  readonly step: number;
  readonly start: number;
  readonly seconds: number;
  /** Which took the time that the others do not take. */
  readonly phase: string;
  readonly phaseSeconds: number;
}

/** What samples say of a line. Where the program trains, the time of its start-up is apart. */
export interface ProfiledLine {
  readonly path: string;
  readonly line: number;
  readonly function: string;
  /** As the file says by now; empty where it can't be read. */
  readonly text: string;
  /** While it was the innermost line of the user's. */
  readonly self: number;
  /** While it was running, calls included. */
  readonly total: number;
  /** Of `self`, within one call that did not come back to Python. */
  readonly native: number;
  /** Of the time before the second step, calls included. */
  readonly startUp: number;
}

/** How lines were measured. */
export interface Sampling {
  readonly clock: "wall" | "cpu" | "none";
  readonly interval: number;
  readonly samples: number;
  /** What they stand for, start-up left out. */
  readonly seconds: number;
}

/** The calls, as a tree. A node stands behind its parent. */
export interface ProfiledStacks {
  readonly frames: readonly StackPlace[];
  /** Of each node, -1 for none. */
  readonly parents: readonly number[];
  /** Of each node: an index of `frames`. */
  readonly frame: readonly number[];
  /** Of each node, its own. */
  readonly seconds: readonly number[];
}

/** A line in a function. In libraries it is the first line of the function. */
export interface StackPlace {
  readonly path: string;
  readonly line: number;
  readonly function: string;
  readonly isUsers: boolean;
}

/** What gave the batches: a DataLoader, by where it is iterated over. */
export interface ProfiledLoader {
  readonly path: string;
  readonly line: number;
  readonly madePath: string;
  /** Where it was made; 0 where that is not known. */
  readonly madeLine: number;
  /** The class, and `datasetPath` and `datasetLine` its `__getitem__`. */
  readonly dataset: string;
  readonly datasetPath: string;
  readonly datasetLine: number;
  readonly workers: number;
  readonly persistent: boolean;
  readonly batchSize: number;
  readonly batches: number;
  /** Of the program for all batches. */
  readonly wait: number;
  readonly longest: number;
  /** Iterations that were begun. */
  readonly passes: number;
  /** From the beginning of an iteration to its first batch, of all of them together: workers are started then. */
  readonly firstWait: number;
  /** Of the iterations from their beginning to their last batch. */
  readonly passSeconds: number;
}

/** Forward by timers in some of the steps; backward and the rest of a step in the window. */
export interface ProfiledModule {
  readonly path: string;
  readonly type: string;
  /** Of `forward`; empty where it is not the user's. */
  readonly sourcePath: string;
  readonly line: number;
  /** In a step. */
  readonly calls: number;
  /** Seconds in a step, its children included. */
  readonly forward: number;
  readonly forwardSelf: number;
  /** Seconds in a step, children included; 0 without a window. */
  readonly backward: number;
  readonly backwardSelf: number;
  readonly parameters: number;
}

/** An operation. */
export interface ProfiledOp {
  readonly name: string;
  readonly shapes: string;
  readonly device: string;
  readonly phase: string;
  /** In a step. */
  readonly calls: number;
  /** Seconds in a step. */
  readonly self: number;
  readonly total: number;
  /** In a step; 0 where they are not counted. */
  readonly flops: number;
}

/** A call of the user's that brings a value to Python: on a device it waits for all work before it. */
export interface ProfiledSync {
  readonly path: string;
  readonly line: number;
  readonly text: string;
  /** As `item`, `cpu`, `print`. */
  readonly kind: string;
  /** In a step. */
  readonly calls: number;
  /** In a step. */
  readonly seconds: number;
  /** Whether the tensor was on a device. */
  readonly isDevice: boolean;
}

/** Of the process, and of the device where there is one. Bytes. */
export interface ProfiledMemory {
  /** Seconds since the program started. */
  readonly time: readonly number[];
  readonly step: readonly number[];
  readonly resident: readonly number[];
  /** Allocated by torch; empty without one. */
  readonly device: readonly number[];
  readonly peakResident: number;
  readonly peakDevice: number;
  /** Of a step, in the second half of the steps; 0 where it does not grow steadily. */
  readonly growth: number;
}

/** What is known of the program beside its times. */
export interface ProfiledFact {
  readonly kind: "anomaly-mode" | "list-of-arrays" | "hidden-sync" | "many-calls";
  readonly path: string;
  readonly line: number;
  readonly text: string;
  /** Steps in the mode; else how often in the one step that was looked at. */
  readonly count: number;
  /** The call, as `sub(…, alpha=scale)`; empty where there is no more to say. */
  readonly words: string;
}

/** What would help, with its evidence. */
export interface ProfileAdvice {
  /** Its name, which stays. */
  readonly rule: string;
  readonly title: string;
  readonly message: string;
  readonly path: string;
  readonly line: number;
  readonly evidence: readonly string[];
  /** What to do, the surest first. */
  readonly next: readonly string[];
  /** The share of a step that is expected to go away, 0 to 1; 0 where that can't be said. */
  readonly gain: number;
  readonly related: readonly RelatedLine[];
}
