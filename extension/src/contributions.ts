/** Every id that package.json contributes and the code uses. A unit test compares the two. */

/** The debug types whose sessions can run through our adapter. */
export const DEBUG_TYPES = ["tensorpeek", "debugpy"] as const;
export type DebugType = (typeof DEBUG_TYPES)[number];

export const COMMANDS = {
  debugFile: "tensorpeek.debugFile",
  pickProcess: "tensorpeek.pickProcess",
  showLog: "tensorpeek.showLog",
  restartServer: "tensorpeek.restartServer",
  refreshTensors: "tensorpeek.tensors.refresh",
  copyTensorExpression: "tensorpeek.tensors.copyExpression",
  watchTensor: "tensorpeek.tensors.addToWatch",
  revealTensorLine: "tensorpeek.tensors.revealLine",
  copyVariableExpression: "tensorpeek.variables.copyExpression",
  revealVariable: "tensorpeek.variables.revealInTensors",
} as const;

export const VIEWS = {
  tensors: "tensorpeek.tensors",
} as const;

/** Keys for `when` clauses; each is written in one place only. */
export const CONTEXT_KEYS = {
  /** A session that runs through our adapter is alive. */
  sessionActive: "tensorpeek.sessionActive",
} as const;

/** Settings without their prefix `tensorpeek.`. */
export const SETTINGS = {
  pythonPath: "pythonPath",
  debugpyEnabled: "debugpy.enabled",
  valueBudget: "summary.valueBudget",
  answerBudget: "summary.answerBudget",
  inlineValuesEnabled: "inlineValues.enabled",
} as const;
