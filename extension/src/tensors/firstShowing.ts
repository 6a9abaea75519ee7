import * as vscode from "vscode";
import { VIEWS } from "../contributions";
import type { SessionTracker } from "../debug/sessionTracker";

const SHOWN = "tensorpeek.tensorsShown";

/** VS Code folds a new view of Run and Debug up, so it is opened once, at the first pause ever; then it is the user's. */
export function showOnce(tracker: SessionTracker, memory: vscode.Memento): vscode.Disposable {
  const subscription = tracker.onDidChangeFocus(() => {
    if (memory.get(SHOWN) === true || tracker.focus.kind !== "paused") {
      return;
    }
    subscription.dispose();
    void memory.update(SHOWN, true);
    void vscode.commands.executeCommand(`${VIEWS.tensors}.focus`, { preserveFocus: true });
  });
  return subscription;
}
