import * as path from "node:path";
import * as vscode from "vscode";
import { DEBUG_TYPES } from "../contributions";
import type { PythonDebugConfiguration } from "../debug/configuration";
import { currentFile } from "../debug/readyMade";

/** As the debuggee writes them into a run folder. */
const CAPSULES = "**/.tensorpeek/runs/*/*.capsule.pt";

/** Starts the training of a capsule again, at the step that the capsule holds. */
export async function replayCapsule(
  given: string | undefined,
  launched: vscode.DebugSession | undefined,
): Promise<void> {
  // A row's or menu's command gets what it was chosen on, which is no file.
  const file = typeof given === "string" ? given : await chooseCapsule();
  const before: PythonDebugConfiguration | undefined = launched?.configuration;
  const configuration = file === undefined ? undefined : (before ?? (await chooseConfiguration()));
  if (file !== undefined && configuration) {
    const tensorpeek = { ...configuration.tensorpeek, capsule: file };
    const folder = launched?.workspaceFolder ?? vscode.workspace.workspaceFolders?.[0];
    await vscode.debug.startDebugging(folder, { ...configuration, tensorpeek });
  }
}

async function chooseCapsule(): Promise<string | undefined> {
  // Run folders are hidden from searches; null lifts what the settings exclude.
  const found = await vscode.workspace.findFiles(CAPSULES, null, 200);
  const items = found
    .map(({ fsPath }) => ({ label: path.basename(fsPath), description: path.basename(path.dirname(fsPath)), fsPath }))
    .sort((a, b) => b.fsPath.localeCompare(a.fsPath));
  if (items.length === 0) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t("There is no capsule in this workspace. Save one while the program is stopped for a finding."),
    );
    return undefined;
  }
  return (await vscode.window.showQuickPick(items, { title: vscode.l10n.t("Replay Capsule") }))?.fsPath;
}

async function chooseConfiguration(): Promise<PythonDebugConfiguration | undefined> {
  const launch = vscode.workspace.getConfiguration("launch");
  const all = launch.get<PythonDebugConfiguration[]>("configurations", []);
  const fitting = all.filter(({ type, request }) => request === "launch" && DEBUG_TYPES.some((ours) => ours === type));
  const items = [...fitting, currentFile()].map((configuration) => ({ label: configuration.name, configuration }));
  const placeHolder = vscode.l10n.t("Which training is the capsule of?");
  return items.length === 1
    ? items[0]?.configuration
    : (await vscode.window.showQuickPick(items, { placeHolder }))?.configuration;
}
