import type {
  EvaluatableExpression,
  EvaluatableExpressionParams,
  InlineValuesArguments,
  InlineValuesResult,
  ModeEvent,
  ProcessEvent,
  TensorsArguments,
  TensorTable,
} from "./messages";

/** Custom DAP requests that our adapter answers. */
export interface DebugRequests {
  "tensorpeek/tensors": { arguments: TensorsArguments; result: TensorTable };
  "tensorpeek/inlineValues": { arguments: InlineValuesArguments; result: InlineValuesResult };
}

/** Custom DAP events that our adapter sends. */
export interface DebugEvents {
  "tensorpeek/mode": ModeEvent;
  "tensorpeek/process": ProcessEvent;
}

/** LSP requests of our own that the language server answers. */
export interface ServerRequests {
  "tensorpeek/evaluatableExpression": { params: EvaluatableExpressionParams; result: EvaluatableExpression | null };
}
