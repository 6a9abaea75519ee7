import * as vscode from "vscode";
import { COMMANDS } from "../contributions";
import type { SessionTracker } from "../debug/sessionTracker";
import { traceFrame } from "./traceFrame";
import { traceShapes, type TraceTools } from "./traceShapes";

/**
 * The commands about shapes. Who knows a class gives its file and its name; the menu of the Call Stack gives a frame,
 * which is the one in focus. While a program is paused, its present call is traced.
 */
export function registerShapes(tools: TraceTools, tracker: SessionTracker): vscode.Disposable[] {
  return [
    vscode.commands.registerCommand(COMMANDS.traceShapes, async (place?: unknown, className?: unknown) => {
      const { focus } = tracker;
      if (focus.kind === "paused" && (await traceFrame(focus, tools.traced)) === "done") {
        return;
      }
      const isFile = typeof place === "string" || place instanceof vscode.Uri;
      await traceShapes(tools, isFile ? place : undefined, className);
    }),
  ];
}
