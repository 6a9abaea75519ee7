import * as vscode from "vscode";
import { Disposables } from "../common/disposables";
import { CONTEXT_KEYS } from "../contributions";
import { trainingBreakpoints } from "../debug/lineConditions";

/** Tells the menu of the line numbers on which lines of the active editor there is something to edit. */
export function followGutterLines(): vscode.Disposable {
  const owned = new Disposables();
  const update = (): void => {
    const shown = String(vscode.window.activeTextEditor?.document.uri);
    const lines = trainingBreakpoints()
      .filter(({ location }) => String(location.uri) === shown)
      .map(({ location }) => location.range.start.line + 1);
    void vscode.commands.executeCommand("setContext", CONTEXT_KEYS.trainingLines, lines);
  };
  owned.add(vscode.debug.onDidChangeBreakpoints(update));
  owned.add(vscode.window.onDidChangeActiveTextEditor(update));
  update();
  return owned;
}
