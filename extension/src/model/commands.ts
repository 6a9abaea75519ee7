import * as vscode from "vscode";
import type { TracedModule } from "../contract/messages";
import { COMMANDS } from "../contributions";
import type { ModelView } from "./modelView";
import type { ModuleNode } from "./moduleNode";

/** The commands of the view “Model” and of its rows. */
export function registerModel(view: ModelView): vscode.Disposable[] {
  const register = vscode.commands.registerCommand;
  return [
    register(COMMANDS.openModule, (path: string) => openModule(view, path)),
    register(COMMANDS.openModuleClass, (node: ModuleNode) => openModuleClass(view, node.path)),
    register(COMMANDS.filterModules, () => askFilter(view)),
    register(COMMANDS.clearModuleFilter, () => {
      view.setFilter("");
    }),
    register(COMMANDS.copyModules, () => vscode.env.clipboard.writeText(view.table)),
    register(COMMANDS.copyModulePath, (node: ModuleNode) => vscode.env.clipboard.writeText(node.path)),
  ];
}

/** Goes to the line that calls a module, or else to its class. */
async function openModule(view: ModelView, path: string): Promise<void> {
  const module = await view.module(path);
  if (!module) {
    return;
  }
  const shown = (await openAtCall(view, module)) || (await openAtClass(view, module));
  if (!shown) {
    const name = path === "" ? module.type : path;
    vscode.window.setStatusBarMessage(vscode.l10n.t("No line of yours calls {0}.", name), STATUS_MS);
  }
}

async function openModuleClass(view: ModelView, path: string): Promise<void> {
  const module = await view.module(path);
  if (module) {
    await openAtClass(view, module);
  }
}

const STATUS_MS = 5000;

async function openAtCall(view: ModelView, { path, callPath, callLine }: TracedModule): Promise<boolean> {
  return open(callPath, callLine, async () => (await view.module(path))?.callLine);
}

async function openAtClass(view: ModelView, { path, file, line }: TracedModule): Promise<boolean> {
  return open(file, line, async () => (await view.module(path))?.line);
}

/** @param present where the line is now; the server knows it once the file is open */
async function open(file: string, line: number, present: () => Promise<number | undefined>): Promise<boolean> {
  if (line <= 0) {
    return false;
  }
  const document = await vscode.workspace.openTextDocument(vscode.Uri.file(file));
  const now = (await present()) ?? line;
  const start = document.lineAt(Math.min(now, document.lineCount) - 1).firstNonWhitespaceCharacterIndex;
  const place = new vscode.Position(now - 1, start);
  await vscode.window.showTextDocument(document, { selection: new vscode.Range(place, place) });
  return true;
}

async function askFilter(view: ModelView): Promise<void> {
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t("Filter Modules"),
    prompt: vscode.l10n.t("A part of a path or of a class, as conv or Linear"),
    value: view.filterText,
  });
  if (text !== undefined) {
    view.setFilter(text);
  }
}
