import * as path from "node:path";
import * as vscode from "vscode";
import { messageOf, showUserError, UserError } from "../common/errors";
import { librarySources } from "../configuration";
import { VIEWS } from "../contributions";
import type { Log } from "../log";
import type { Backend } from "../python/backend";
import type { Interpreters } from "../python/interpreter";
import { isAtLeast, OLDEST_FOR_ADAPTER, versionText } from "../python/version";
import { runTrace, type TraceOutput } from "./traceProcess";

/** The script that calls the models of a file, by the file's path: the user has chosen it. */
const SCRIPTS = "shapes.scripts";
const MOST_SCRIPTS = 500;

export interface TraceTools {
  readonly backend: Backend;
  readonly interpreters: Interpreters;
  readonly log: Log;
  readonly memory: vscode.Memento;
  /** A trace was written. */
  readonly traced: () => unknown;
}

/** Traces the model that a file calls, or a class in it, and says what came of it. */
export async function traceShapes(
  tools: TraceTools,
  place: vscode.Uri | string | undefined,
  className: unknown,
): Promise<void> {
  const uri = typeof place === "string" ? vscode.Uri.parse(place) : (place ?? active());
  if (uri?.scheme !== "file") {
    await showUserError(new UserError(vscode.l10n.t("Open the Python file to trace, then start again.")));
    return;
  }
  await vscode.workspace.textDocuments.find((document) => String(document.uri) === String(uri))?.save();
  const call = typeof className === "string" ? className : "";
  const file = uri.fsPath;
  let output: TraceOutput | undefined;
  try {
    output = await tracedWithProgress(tools, uri, call);
  } catch (error) {
    tools.log.error(`Trace Shapes: ${messageOf(error)}`);
    await showUserError(error instanceof UserError ? error : new UserError(messageOf(error)));
    return;
  }
  if (!output) {
    return;
  }
  if (output.ok) {
    tools.traced();
    const showModel = vscode.l10n.t("Show Model");
    const show = vscode.l10n.t("Show Output");
    const message = vscode.l10n.t("The shapes of {0} are traced.", call === "" ? path.basename(file) : call);
    const chosen = await vscode.window.showInformationMessage(message, showModel, show);
    if (chosen === show) {
      await showText(output.text);
    } else if (chosen === showModel) {
      await vscode.commands.executeCommand(`${VIEWS.model}.focus`);
    }
    return;
  }
  await explain(tools, uri, call, output);
}

async function explain(
  tools: TraceTools,
  uri: vscode.Uri,
  call: string,
  { sentence, text }: TraceOutput,
): Promise<void> {
  const show = vscode.l10n.t("Show Output");
  const choose = vscode.l10n.t("Choose Script…");
  const why = sentence === "" ? vscode.l10n.t("the program ended before a model was called") : sentence;
  const message = vscode.l10n.t("No shapes were traced: {0}", why);
  const chosen = await vscode.window.showErrorMessage(message, show, choose);
  if (chosen === show) {
    await showText(text);
  } else if (chosen === choose && (await chooseScript(tools.memory, uri))) {
    await traceShapes(tools, uri, call);
  }
}

async function tracedWithProgress(
  { backend, interpreters, memory }: TraceTools,
  uri: vscode.Uri,
  call: string,
): Promise<TraceOutput | undefined> {
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  const interpreter = await interpreters.find(undefined, folder);
  if (!isAtLeast(interpreter.version, OLDEST_FOR_ADAPTER)) {
    throw new UserError(
      vscode.l10n.t(
        "TensorPeek needs Python {0} or newer, and “{1}” is Python {2}.",
        versionText(OLDEST_FOR_ADAPTER).replace(/\.0$/, ""),
        interpreter.command.join(" "),
        versionText(interpreter.version),
      ),
    );
  }
  const file = uri.fsPath;
  const root = folder?.uri.fsPath ?? path.dirname(file);
  const command = backend.shapes(interpreter, {
    runs: path.join(root, ".tensorpeek", "runs"),
    call: call === "" ? "" : `${file}:${call}`,
    script: scripts(memory)[file] ?? file,
    librarySources: librarySources(uri),
  });
  const title = vscode.l10n.t("Tracing the shapes of {0}", call === "" ? path.basename(file) : call);
  const location = vscode.ProgressLocation.Notification;
  return await vscode.window.withProgress({ location, title, cancellable: true }, (_, token) =>
    runTrace(command, root, (cancel) => token.onCancellationRequested(cancel)),
  );
}

/** What the process printed, to read and to copy from. */
async function showText(content: string): Promise<void> {
  const document = await vscode.workspace.openTextDocument({ language: "python", content });
  await vscode.window.showTextDocument(document, { preview: true });
}

/** Asks for the program that calls the models of a file; whether one was chosen. */
async function chooseScript(memory: vscode.Memento, uri: vscode.Uri): Promise<boolean> {
  const files = await vscode.workspace.findFiles(
    "**/*.py",
    "**/{node_modules,.venv,venv,site-packages}/**",
    MOST_SCRIPTS,
  );
  const rows = files
    .map(({ fsPath }) => ({ label: vscode.workspace.asRelativePath(fsPath), fsPath }))
    .sort((one, other) => one.label.localeCompare(other.label));
  const placeHolder = vscode.l10n.t("It is run up to the first call of a model");
  const title = vscode.l10n.t("The script that calls the model");
  const chosen = await vscode.window.showQuickPick(rows, { title, placeHolder });
  if (!chosen) {
    return false;
  }
  await memory.update(SCRIPTS, { ...scripts(memory), [uri.fsPath]: chosen.fsPath });
  return true;
}

function scripts(memory: vscode.Memento): Record<string, string> {
  return memory.get<Record<string, string>>(SCRIPTS, {});
}

function active(): vscode.Uri | undefined {
  return vscode.window.activeTextEditor?.document.uri;
}
