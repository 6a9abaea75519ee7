import * as vscode from "vscode";
import type { SessionTracker } from "../debug/sessionTracker";
import { trainingFilters } from "./conditions";

const SEEN = "tensorpeek.conditionsSeen";

/**
 * Shows the check boxes of the Breakpoints view. VS Code learns of them from a session, so without one ever before,
 * a program that does nothing is run.
 */
export async function showConditions(tracker: SessionTracker, memory: vscode.Memento): Promise<void> {
  if (memory.get(SEEN) !== true && !tracker.hasSessions) {
    await runNothing(tracker);
  }
  await vscode.commands.executeCommand("workbench.debug.action.focusBreakpointsView");
}

/** Remembers whether VS Code has the check boxes from a session of this window or an earlier one. */
export function rememberConditions(tracker: SessionTracker, memory: vscode.Memento): vscode.Disposable {
  return tracker.onDidChangeFilters(() => {
    if (trainingFilters(tracker.current?.filters.filters ?? []).length > 0) {
      void memory.update(SEEN, true);
    }
  });
}

async function runNothing(tracker: SessionTracker): Promise<void> {
  const configuration: vscode.DebugConfiguration = {
    name: vscode.l10n.t("TensorPeek: training conditions"),
    type: "tensorpeek",
    request: "launch",
    code: "pass",
    console: "internalConsole",
    internalConsoleOptions: "neverOpen",
  };
  const ended = new Promise<void>((resolve) => {
    const subscription = tracker.onDidEndSession(({ name }) => {
      if (name === configuration.name) {
        subscription.dispose();
        resolve();
      }
    });
  });
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  const quiet = { suppressDebugToolbar: true, suppressDebugStatusbar: true, suppressDebugView: true };
  if (await vscode.debug.startDebugging(folder, configuration, quiet)) {
    await ended;
  }
}
