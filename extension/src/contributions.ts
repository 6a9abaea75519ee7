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
  addTrainingBreakpoint: "tensorpeek.addTrainingBreakpoint",
  editTrainingBreakpoint: "tensorpeek.editTrainingBreakpoint",
  removeTrainingBreakpoint: "tensorpeek.removeTrainingBreakpoint",
  breakOnModule: "tensorpeek.breakOnModule",
  showConditions: "tensorpeek.training.showConditions",
  recommend: "tensorpeek.training.recommend",
  skipStep: "tensorpeek.training.skipStep",
  dropBatch: "tensorpeek.training.dropBatch",
  setLearningRate: "tensorpeek.training.setLearningRate",
  saveCapsule: "tensorpeek.training.saveCapsule",
  replayCapsule: "tensorpeek.training.replayCapsule",
  openFinding: "tensorpeek.training.openFinding",
  traceShapes: "tensorpeek.traceShapes",
  openModule: "tensorpeek.model.open",
  openModuleClass: "tensorpeek.model.openClass",
  filterModules: "tensorpeek.model.filter",
  clearModuleFilter: "tensorpeek.model.clearFilter",
  copyModules: "tensorpeek.model.copy",
  copyModulePath: "tensorpeek.model.copyPath",
} as const;

export const VIEWS = {
  training: "tensorpeek.training",
  tensors: "tensorpeek.tensors",
  model: "tensorpeek.model",
} as const;

/** Keys for `when` clauses; each is written in one place only. */
export const CONTEXT_KEYS = {
  /** A session that runs through our adapter is alive. */
  sessionActive: "tensorpeek.sessionActive",
  /** There are line conditions or findings, which the view shows without a session too. */
  hasTraining: "tensorpeek.hasTraining",
  /** There is a trace whose modules the view Model shows. */
  hasModel: "tensorpeek.hasModel",
  /** The view Model shows a part of the modules. */
  modelFiltered: "tensorpeek.modelFiltered",
  /** The program in focus is stopped for a finding, before the weights change. */
  stoppedForTraining: "tensorpeek.stoppedForTraining",
  /** The lines of the active editor that have a training breakpoint, 1-based. */
  trainingLines: "tensorpeek.trainingLines",
} as const;

/** Settings without their prefix `tensorpeek.`. */
export const SETTINGS = {
  pythonPath: "pythonPath",
  debugpyEnabled: "debugpy.enabled",
  valueBudget: "summary.valueBudget",
  answerBudget: "summary.answerBudget",
  inlineValuesEnabled: "inlineValues.enabled",
  trainingBudget: "training.budget",
  inlayHints: "shapes.inlayHints",
  firstStep: "shapes.firstStep",
  librarySources: "shapes.librarySources",
} as const;
