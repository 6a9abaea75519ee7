import * as vscode from "vscode";
import { openLaunchJson, UserError } from "../common/errors";
import { attachTarget, type PythonDebugConfiguration } from "./configuration";

/** Throws a UserError when a configuration does not say what to debug. The adapter checks what it does say. */
export function checkIsComplete(configuration: PythonDebugConfiguration): void {
  if (configuration.request === "attach") {
    if (!attachTarget(configuration)) {
      const message = vscode.l10n.t("To attach, the configuration needs one of “connect”, “listen” or “processId”.");
      throw new UserError(message, [openLaunchJson()]);
    }
    return;
  }
  const { program, module, code } = configuration;
  if (program === undefined && module === undefined && code === undefined) {
    const message = vscode.l10n.t("To launch, the configuration needs one of “program”, “module” or “code”.");
    throw new UserError(message, [openLaunchJson()]);
  }
}
