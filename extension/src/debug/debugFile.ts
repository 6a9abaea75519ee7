import * as vscode from "vscode";
import { showUserError, UserError } from "../common/errors";
import { currentFile } from "./readyMade";

/** Debugs one Python file: the one given by the menu, else the one in the active editor. */
export async function debugFile(uri?: vscode.Uri): Promise<void> {
  const file = uri ?? vscode.window.activeTextEditor?.document.uri;
  if (file?.scheme !== "file") {
    await showUserError(new UserError(vscode.l10n.t("Open the Python file to debug, then start again.")));
    return;
  }
  const folder = vscode.workspace.getWorkspaceFolder(file);
  await vscode.debug.startDebugging(folder, { ...currentFile(), program: file.fsPath });
}
