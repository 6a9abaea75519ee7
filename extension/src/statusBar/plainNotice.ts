import * as vscode from "vscode";
import { COMMANDS } from "../contributions";
import type { SessionTracker } from "../debug/sessionTracker";

/** Tells the user, once per debugging, that a session goes on as a plain one though it was to show tensors. */
export function noticePlainSessions(tracker: SessionTracker): vscode.Disposable {
  /** The sessions that the user started and was told about; their children say nothing new. */
  const told = new Set<string>();
  return tracker.onDidChangeSessions(() => {
    const { current } = tracker;
    if (current?.mode?.mode !== "plain" || current.session.configuration["noDebug"] === true) {
      return;
    }
    const { id } = started(current.session);
    if (!told.has(id)) {
      told.add(id);
      void show(current.mode.reason);
    }
  });
}

function started(session: vscode.DebugSession): vscode.DebugSession {
  return session.parentSession ? started(session.parentSession) : session;
}

async function show(reason: string): Promise<void> {
  const showLog = vscode.l10n.t("Show Log");
  if ((await vscode.window.showWarningMessage(reason, showLog)) === showLog) {
    await vscode.commands.executeCommand(COMMANDS.showLog);
  }
}
