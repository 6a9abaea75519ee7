import * as vscode from "vscode";

/** The one output channel of the extension; `create` is called once, by the activation. */
export type Log = vscode.LogOutputChannel;

export function createLog(): Log {
  return vscode.window.createOutputChannel("TensorPeek", { log: true });
}
