import * as vscode from "vscode";
import type { Action } from "../../webview/tensors/protocol";

/** Where a tensor's name was assigned last. */
export interface Place {
  readonly path: string;
  /** 1-based; 0 when unknown. */
  readonly line: number;
}

/** Does what a button or menu entry of a row says. */
export async function act(action: Action, expression: string, place: Place | undefined): Promise<void> {
  switch (action) {
    case "copy":
      await vscode.env.clipboard.writeText(expression);
      break;
    case "watch":
      await addToWatch(expression);
      break;
    case "reveal":
      if (place && place.line > 0 && place.path !== "") {
        await revealLine(place);
      }
      break;
  }
}

/** VS Code has no API for Watch; its own menu command takes the variable that it was opened on. */
async function addToWatch(expression: string): Promise<void> {
  await vscode.commands.executeCommand("debug.addToWatchExpressions", {
    sessionId: vscode.debug.activeDebugSession?.id,
    container: { expression },
    variable: { name: expression, value: "", evaluateName: expression, variablesReference: 0 },
  });
}

async function revealLine({ path, line }: Place): Promise<void> {
  const start = new vscode.Position(line - 1, 0);
  await vscode.window.showTextDocument(vscode.Uri.file(path), { selection: new vscode.Range(start, start) });
}
