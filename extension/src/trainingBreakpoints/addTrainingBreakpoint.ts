import * as vscode from "vscode";
import { pickOrType, type Answer } from "../common/ask";
import type { TrainingBreakpointEntry, TrainingBreakpoints } from "../contract/messages";
import { setCondition, setLogMessage, type LinePlace } from "../debug/lineConditions";
import type { SessionTracker } from "../debug/sessionTracker";
import type { ServerClient } from "../languageClient/serverClient";
import { askFields } from "./askFields";
import { editCondition } from "./conditionEditor";
import { conditionText, defaultsOf } from "./conditionText";
import { askLogMessage, messageAbout } from "./logMessage";
import { presentValues } from "./presentValues";

const EXPRESSION = "expression";
const LOG_MESSAGE = "log message";

/** Asks what to watch for at a line and sets an ordinary breakpoint with the condition; Enter all the way sets a good one. */
export async function addTrainingBreakpoint(
  place: LinePlace | undefined,
  server: ServerClient,
  tracker: SessionTracker,
): Promise<void> {
  const found = place && (await offered(place, server));
  if (!found || found.entries.length === 0) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t("Open a Python file on the line to watch, then start again."),
    );
    return;
  }
  const target = { uri: place.uri, lineNumber: found.line + 1 };
  const title = vscode.l10n.t("Add Training Breakpoint, Line {0}", target.lineNumber);
  const entry = await chooseEntry(found.entries, title);
  if (entry === LOG_MESSAGE) {
    const [name] = found.entries.flatMap(({ names }) => names);
    const message = await askLogMessage(messageAbout(name), target, server);
    if (message !== undefined) {
      setLogMessage(target, message);
    }
    return;
  }
  const condition = entry && (await conditionOf(entry, title, target, server, tracker));
  if (condition !== undefined) {
    setCondition(target, condition);
    vscode.window.setStatusBarMessage(`$(debug-breakpoint-conditional) ${condition}`, 5000);
  }
}

async function offered(place: LinePlace, server: ServerClient): Promise<TrainingBreakpoints | undefined> {
  const params = { uri: place.uri.toString(), line: place.lineNumber - 1 };
  const token = new vscode.CancellationTokenSource().token;
  return (await server.request("tensorpeek/trainingBreakpoints", params, token)) ?? undefined;
}

async function chooseEntry(
  entries: readonly TrainingBreakpointEntry[],
  title: string,
): Promise<TrainingBreakpointEntry | typeof LOG_MESSAGE | undefined> {
  const conditions = entries.map((entry) => ({ label: entry.label, detail: entry.detail, entry }));
  const logMessage = {
    label: vscode.l10n.t("Log message…"),
    detail: vscode.l10n.t("Writes a line to the Debug Console and to training.log; the program runs on."),
    entry: LOG_MESSAGE,
  } as const;
  const items = [...conditions, logMessage];
  const placeHolder = vscode.l10n.t("When should the program stop here?");
  return (await vscode.window.showQuickPick(items, { title, placeHolder, matchOnDetail: true }))?.entry;
}

async function conditionOf(
  entry: TrainingBreakpointEntry,
  title: string,
  place: LinePlace,
  server: ServerClient,
  tracker: SessionTracker,
): Promise<string | undefined> {
  if (entry.kind === EXPRESSION) {
    return editCondition(conditionText(entry, entry.names[0] ?? "", defaultsOf(entry)), place, server);
  }
  const heading = `${title}: ${entry.label.replace(/…$/, "")}`;
  const isAboutAName = entry.template.includes("{name}");
  const name = isAboutAName ? await chooseName(entry.names, heading, tracker) : "";
  return name === undefined ? undefined : askFields(entry, name, heading);
}

async function chooseName(
  names: readonly string[],
  title: string,
  tracker: SessionTracker,
): Promise<string | undefined> {
  const answers = names.map((text): Answer => ({ text, label: text }));
  const withValues = async (): Promise<readonly Answer[]> => {
    const values = await presentValues(tracker.focus, names);
    return answers.map((answer, index) => ({ ...answer, description: values[index] ?? "" }));
  };
  return pickOrType({
    title,
    placeholder: vscode.l10n.t("Which value? Choose one, or type an expression"),
    answers,
    typed: (text) => ({ text, label: text, description: vscode.l10n.t("as typed") }),
    fuller: withValues(),
  });
}
