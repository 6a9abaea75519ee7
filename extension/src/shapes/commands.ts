import * as vscode from "vscode";
import { COMMANDS } from "../contributions";
import { traceShapes, type TraceTools } from "./traceShapes";

/** The commands about shapes. Who knows a class gives its file and its name. */
export function registerShapes(tools: TraceTools): vscode.Disposable[] {
  return [
    vscode.commands.registerCommand(COMMANDS.traceShapes, (place?: vscode.Uri | string, className?: unknown) =>
      traceShapes(tools, place, className),
    ),
  ];
}
