import * as vscode from "vscode";

/**
 * VS Code folds a new view of Run and Debug up, so it is opened once ever, when it first has something to say;
 * then it is the user's.
 */
export function showOnce(
  view: string,
  onDidChange: vscode.Event<unknown>,
  hasSomething: () => boolean,
  memory: vscode.Memento,
): vscode.Disposable {
  const shown = `${view}Shown`;
  const subscription = onDidChange(() => {
    if (memory.get(shown) === true || !hasSomething()) {
      return;
    }
    subscription.dispose();
    void memory.update(shown, true);
    void vscode.commands.executeCommand(`${view}.focus`, { preserveFocus: true });
  });
  return subscription;
}
