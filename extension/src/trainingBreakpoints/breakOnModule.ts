import * as vscode from "vscode";
import { pickOrType, type Answer } from "../common/ask";
import { messageOf } from "../common/errors";
import { request } from "../debug/sessionClient";
import type { SessionTracker } from "../debug/sessionTracker";
import type { Log } from "../log";

/**
 * Stops where a module of the model runs: a function breakpoint that the adapter understands.
 * @param given the module's path, where the user has pointed at one
 */
export async function breakOnModule(tracker: SessionTracker, log: Log, given = ""): Promise<void> {
  const title = vscode.l10n.t("Break on Module");
  const pattern = given === "" ? await askPattern(title, await moduleNames(tracker, log)) : given;
  if (pattern === undefined) {
    return;
  }
  const phases = [
    {
      label: "forward",
      detail: vscode.l10n.t("Stops where the module is called, with its inputs and its output."),
      suffix: "",
    },
    {
      label: "backward",
      detail: vscode.l10n.t("Stops when the gradients of the module are there."),
      suffix: " [backward]",
    },
  ];
  const phase = await vscode.window.showQuickPick(phases, { title: `${title}: ${pattern}` });
  if (phase) {
    vscode.debug.addBreakpoints([new vscode.FunctionBreakpoint(`module:${pattern}${phase.suffix}`)]);
  }
}

function askPattern(title: string, names: readonly string[]): Promise<string | undefined> {
  return pickOrType({
    title,
    placeholder:
      names.length > 0
        ? vscode.l10n.t("A module of the model; * stands for any part of a name")
        : vscode.l10n.t("A module path, as in encoder.layers.*; names are listed once the model has run"),
    answers: names.map((text): Answer => ({ text, label: text })),
    typed: (text) => ({ text, label: text, description: vscode.l10n.t("as typed"), alwaysShow: true }),
  });
}

async function moduleNames(tracker: SessionTracker, log: Log): Promise<readonly string[]> {
  const session = tracker.current?.session;
  if (!session) {
    return [];
  }
  try {
    return (await request(session, "tensorpeek/training", {})).modules;
  } catch (error) {
    log.debug(`tensorpeek/training: ${messageOf(error)}`);
    return [];
  }
}
