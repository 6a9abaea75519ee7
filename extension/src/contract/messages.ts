// Generated from wire.schema.json by `python -m tensorpeek.contract.generate`. Do not edit.

export const CONTRACT_VERSION = 1;

/** Custom DAP requests that our adapter answers. */
export interface DebugRequests {
  readonly "tensorpeek/tensors": { readonly arguments: TensorsArguments; readonly result: TensorTable };
  readonly "tensorpeek/inlineValues": { readonly arguments: InlineValuesArguments; readonly result: InlineValuesResult };
}

/** Custom DAP events that our adapter sends. */
export interface DebugEvents {
  readonly "tensorpeek/mode": { readonly body: ModeEvent };
  readonly "tensorpeek/process": { readonly body: ProcessEvent };
}

/** LSP requests of our own that the language server answers; null where there is nothing to say. */
export interface ServerRequests {
  readonly "tensorpeek/evaluatableExpression": { readonly params: EvaluatableExpressionParams; readonly result: EvaluatableExpression | null };
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
