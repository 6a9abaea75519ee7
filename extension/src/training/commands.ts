import * as vscode from "vscode";
import { COMMANDS } from "../contributions";
import { breakpointsAt, type LinePlace } from "../debug/lineConditions";
import type { SessionTracker } from "../debug/sessionTracker";
import { act, changeLearningRate } from "./actions";
import { replayCapsule } from "./capsules";
import { openLine } from "./findings";
import { recommend } from "./recommend";
import { showConditions } from "./showConditions";

/** The commands of the view “Training” and of a stop that a finding made. */
export function registerTraining(tracker: SessionTracker, memory: vscode.Memento): vscode.Disposable[] {
  const register = vscode.commands.registerCommand;
  return [
    register(COMMANDS.skipStep, () => act(tracker, { action: "skipStep" })),
    register(COMMANDS.dropBatch, () => act(tracker, { action: "dropBatch" })),
    register(COMMANDS.setLearningRate, () => changeLearningRate(tracker)),
    register(COMMANDS.saveCapsule, () => act(tracker, { action: "saveCapsule" })),
    register(COMMANDS.replayCapsule, (file?: string) => replayCapsule(file, tracker.launched)),
    register(COMMANDS.recommend, () => recommend(tracker)),
    register(COMMANDS.showConditions, () => showConditions(tracker, memory)),
    register(COMMANDS.openFinding, openLine),
    register(COMMANDS.removeTrainingBreakpoint, (place: LinePlace) => {
      vscode.debug.removeBreakpoints(breakpointsAt(place));
    }),
  ];
}
