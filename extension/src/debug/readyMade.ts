import * as vscode from "vscode";
import type { PythonDebugConfiguration } from "./configuration";

/** Debugs the Python file in the active editor. */
export function currentFile(): PythonDebugConfiguration {
  return {
    name: vscode.l10n.t("TensorPeek: Current File"),
    type: "tensorpeek",
    request: "launch",
    program: "${file}",
    console: "integratedTerminal",
  };
}

/** What VS Code offers under “Select and Start Debugging” without a launch.json. */
export const readyMadeConfigurations: vscode.DebugConfigurationProvider = {
  provideDebugConfigurations: () => [
    currentFile(),
    {
      name: vscode.l10n.t("TensorPeek: Attach to a Process"),
      type: "tensorpeek",
      request: "attach",
      processId: "${command:pickProcess}",
    },
  ],
};
