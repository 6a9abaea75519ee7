import * as path from "node:path";
import * as vscode from "vscode";
import { showUserError, UserError } from "../common/errors";
import { sessionSettings } from "../configuration";
import type { Interpreters } from "../python/interpreter";
import { OLDEST_FOR_ADAPTER } from "../python/version";
import { withDefaults, type PythonDebugConfiguration } from "./configuration";
import { currentFile } from "./readyMade";
import { checkIsComplete } from "./launchCheck";

/** Completes and checks the configurations of our own debug type. */
export class TensorPeekConfigurationProvider implements vscode.DebugConfigurationProvider {
  constructor(private readonly interpreters: Interpreters) {}

  resolveDebugConfiguration(
    _folder: vscode.WorkspaceFolder | undefined,
    configuration: vscode.DebugConfiguration,
  ): vscode.DebugConfiguration | undefined {
    const isEmpty = !configuration.type && !configuration.request && !configuration.name;
    if (!isEmpty) {
      return configuration;
    }
    // F5 without a launch.json: VS Code asks with an empty configuration.
    if (vscode.window.activeTextEditor?.document.languageId === "python") {
      return { ...configuration, ...currentFile() };
    }
    void showUserError(new UserError(vscode.l10n.t("Open the Python file to debug, then start again.")));
    return undefined;
  }

  async resolveDebugConfigurationWithSubstitutedVariables(
    folder: vscode.WorkspaceFolder | undefined,
    configuration: PythonDebugConfiguration,
  ): Promise<vscode.DebugConfiguration | undefined> {
    try {
      return await this.complete(folder, configuration);
    } catch (error) {
      if (error instanceof UserError) {
        void showUserError(error);
        return undefined;
      }
      throw error;
    }
  }

  private async complete(
    folder: vscode.WorkspaceFolder | undefined,
    configuration: PythonDebugConfiguration,
  ): Promise<PythonDebugConfiguration> {
    checkIsComplete(configuration);
    const completed = withDefaults(configuration, process.platform === "win32");
    completed.tensorpeek = { ...sessionSettings(folder), ...completed.tensorpeek };
    if (completed.request === "launch" && folder) {
      completed.cwd ??= folder.uri.fsPath;
      completed.envFile ??= path.join(folder.uri.fsPath, ".env");
    }
    const interpreter = await this.interpreters.find(completed.python, folder);
    completed.python = [...interpreter.command];
    // Where none can run the adapter the user is told here, with the way out.
    await this.interpreters.findAtLeast(OLDEST_FOR_ADAPTER, folder, completed.python);
    return completed;
  }
}
