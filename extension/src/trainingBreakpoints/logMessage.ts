import * as vscode from "vscode";
import type { LinePlace } from "../debug/lineConditions";
import type { ServerClient } from "../languageClient/serverClient";

/** The Python in the braces of a message. */
const BRACES = /\{([^{}]*)\}/g;

/** Asks for the message of a line, while the server checks what is in its braces; undefined when the user gives up. */
export async function askLogMessage(text: string, place: LinePlace, server: ServerClient): Promise<string | undefined> {
  const message = await vscode.window.showInputBox({
    title: vscode.l10n.t("Log Message of Line {0}", place.lineNumber),
    value: text,
    prompt: vscode.l10n.t(
      "Goes to the Debug Console and to training.log, and the program runs on. What is in braces is evaluated.",
    ),
    ignoreFocusOut: true,
    validateInput: async (typed) => {
      const problem = await problemIn(typed, place, server);
      return problem === "" ? "" : { message: problem, severity: vscode.InputBoxValidationSeverity.Warning };
    },
  });
  return message?.trim() === "" ? undefined : message;
}

/** A message that says what a value is, as in `loss: {tp.line(loss)}`. */
export function messageAbout(name: string | undefined): string {
  return name === undefined ? "{tp.step()}" : `${name}: {tp.line(${name})}`;
}

/** Why the message can't work, empty when it can. */
export async function problemIn(message: string, place: LinePlace, server: ServerClient): Promise<string> {
  const { token } = new vscode.CancellationTokenSource();
  const at = { uri: place.uri.toString(), line: place.lineNumber - 1 };
  for (const [, text = ""] of message.matchAll(BRACES)) {
    const found = await server.request("tensorpeek/explainCondition", { ...at, text }, token).catch(() => undefined);
    if (found && found.problem !== "") {
      return found.problem;
    }
  }
  return "";
}
