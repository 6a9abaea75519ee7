import * as vscode from "vscode";
import { messageOf } from "../common/errors";
import type { TraceResult } from "../contract/messages";
import { request } from "../debug/sessionClient";
import type { PausedFrame } from "../debug/sessionTracker";

/**
 * Traces the call that the paused program is in, or the next one, without the program noticing.
 * Says only what went wrong; gives whether the user wants the program to be run for it instead.
 */
export async function traceFrame(frame: PausedFrame, traced: () => unknown): Promise<"done" | "run"> {
  const { path, problem } = await ask(frame);
  if (path !== "") {
    traced();
    if (problem !== "") {
      void vscode.window.showWarningMessage(vscode.l10n.t("The shapes are traced, but not all: {0}", problem));
    }
    return "done";
  }
  const run = vscode.l10n.t("Run the File Instead");
  const message = vscode.l10n.t("No shapes were traced from the paused frame: {0}", problem);
  return (await vscode.window.showWarningMessage(message, run)) === run ? "run" : "done";
}

async function ask({ session, frameId }: PausedFrame): Promise<Pick<TraceResult, "path" | "problem">> {
  const title = vscode.l10n.t("Tracing the shapes from the paused frame");
  try {
    return await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, () =>
      request(session, "tensorpeek/traceShapes", { frameId, expression: "" }),
    );
  } catch (error) {
    return { path: "", problem: messageOf(error) };
  }
}
