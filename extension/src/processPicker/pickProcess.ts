import * as vscode from "vscode";
import { inOrder, isPython, listProcesses } from "./processList";

/** Lets the user choose a process; gives its id, as launch.json wants it, or undefined when they chose none. */
export async function pickProcess(): Promise<string | undefined> {
  const chosen = await vscode.window.showQuickPick(items(), {
    placeHolder: vscode.l10n.t("Choose the Python process to attach to"),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return chosen?.pid;
}

interface ProcessItem extends vscode.QuickPickItem {
  readonly pid: string;
}

async function items(): Promise<ProcessItem[]> {
  const others = (await listProcesses()).filter(({ pid }) => pid !== process.pid);
  return inOrder(others).map((running) => ({
    label: programName(running.command),
    description: String(running.pid),
    detail: running.command,
    iconPath: new vscode.ThemeIcon(isPython(running) ? "snake" : "server-process"),
    pid: String(running.pid),
  }));
}

function programName(command: string): string {
  const [program = command] = /^"[^"]*"|^\S+/.exec(command) ?? [];
  return program.replaceAll('"', "").split(/[\\/]/).at(-1) ?? program;
}
