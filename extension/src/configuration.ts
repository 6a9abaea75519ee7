import * as path from "node:path";
import * as vscode from "vscode";
import type { SessionSettings } from "./contract/messages";
import { SETTINGS } from "./contributions";

const SECTION = "tensorpeek";

function read<T>(setting: string, fallback: T, scope?: vscode.ConfigurationScope): T {
  return vscode.workspace.getConfiguration(SECTION, scope).get<T>(setting, fallback);
}

/** The interpreter of the settings, empty when the user chose none. */
export function pythonPathSetting(scope?: vscode.ConfigurationScope): string {
  return read(SETTINGS.pythonPath, "", scope).trim();
}

export function debugpyEnabled(scope?: vscode.ConfigurationScope): boolean {
  return read(SETTINGS.debugpyEnabled, true, scope);
}

export function inlineValuesEnabled(scope?: vscode.ConfigurationScope): boolean {
  return read(SETTINGS.inlineValuesEnabled, true, scope);
}

export function librarySources(scope: vscode.ConfigurationScope | undefined): readonly string[] {
  return read<readonly string[]>(SETTINGS.librarySources, [], scope);
}

/** What the adapter is told about budgets, traces and places; a launch configuration may override single values. */
export function sessionSettings(folder?: vscode.WorkspaceFolder): SessionSettings {
  return {
    valueBudgetMs: read(SETTINGS.valueBudget, 20, folder),
    answerBudgetMs: read(SETTINGS.answerBudget, 60, folder),
    budgetPercent: read(SETTINGS.trainingBudget, 0.5, folder),
    traceFirstStep: read(SETTINGS.firstStep, true, folder),
    ...(folder ? { runsFolder: path.join(folder.uri.fsPath, ".tensorpeek", "runs") } : {}),
  };
}

export function onDidChangePythonPath(listener: () => unknown): vscode.Disposable {
  return vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration(`${SECTION}.${SETTINGS.pythonPath}`)) {
      listener();
    }
  });
}
