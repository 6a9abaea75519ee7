import * as path from "node:path";
import * as vscode from "vscode";
import { coalesced } from "../common/coalesce";
import { Disposables } from "../common/disposables";
import { messageOf } from "../common/errors";
import type { ModelMap, TracedModule } from "../contract/messages";
import { CONTEXT_KEYS, VIEWS } from "../contributions";
import type { ServerClient } from "../languageClient/serverClient";
import type { Log } from "../log";
import { moduleNodes, type ModuleNode } from "./moduleNode";
import { count, filtered, moduleTrees } from "./moduleTree";
import { momentText } from "./moment";

/** The view “Model” of Run and Debug: the modules of the active file's trace, or else of the newest. */
export class ModelView implements vscode.TreeDataProvider<ModuleNode>, vscode.Disposable {
  private readonly owned = new Disposables();
  private readonly treeChanged = this.owned.add(new vscode.EventEmitter<void>());
  readonly onDidChangeTreeData = this.treeChanged.event;
  private readonly view: vscode.TreeView<ModuleNode>;
  private map: ModelMap | undefined;
  private filter = "";
  private rows: readonly ModuleNode[] = [];
  /** The Python file that was active last. */
  private uri = "";

  constructor(
    private readonly server: ServerClient,
    private readonly log: Log,
  ) {
    this.view = this.owned.add(
      vscode.window.createTreeView(VIEWS.model, { treeDataProvider: this, showCollapseAll: true }),
    );
    const watcher = this.owned.add(vscode.workspace.createFileSystemWatcher("**/.tensorpeek/runs/*/shapes.json"));
    const changed = (): void => void this.traceChanged();
    this.owned.add(watcher.onDidCreate(changed));
    this.owned.add(watcher.onDidChange(changed));
    this.owned.add(watcher.onDidDelete(changed));
    this.owned.add(vscode.workspace.onDidSaveTextDocument(() => void this.refresh()));
    this.owned.add(
      vscode.window.onDidChangeActiveTextEditor((editor) => {
        this.follow(editor);
      }),
    );
    this.follow(vscode.window.activeTextEditor);
    void this.refresh();
  }

  /** The modules as text; empty where there are none. */
  get table(): string {
    return this.map?.table ?? "";
  }

  get filterText(): string {
    return this.filter;
  }

  getTreeItem(node: ModuleNode): ModuleNode {
    return node;
  }

  getChildren(node?: ModuleNode): ModuleNode[] {
    return [...(node?.children ?? this.rows)];
  }

  dispose(): void {
    this.owned.dispose();
  }

  /** Shows the modules whose path or class has this text, and those above them; all for an empty text. */
  setFilter(text: string): void {
    this.filter = text.trim();
    this.show();
  }

  /** A run wrote or lost a trace. */
  async traceChanged(): Promise<void> {
    await this.server.runChanged();
    await this.refresh();
  }

  /** The module as the trace has it, with its lines in the present text. */
  async module(modulePath: string): Promise<TracedModule | undefined> {
    return (await this.ask())?.modules.find(({ path }) => path === modulePath);
  }

  private follow(editor: vscode.TextEditor | undefined): void {
    if (editor?.document.languageId === "python" && String(editor.document.uri) !== this.uri) {
      this.uri = String(editor.document.uri);
      void this.refresh();
    }
  }

  private readonly refresh = coalesced(async () => {
    const map = await this.ask();
    if (JSON.stringify(map) !== JSON.stringify(this.map)) {
      this.map = map;
      this.show();
    }
  });

  private async ask(): Promise<ModelMap | undefined> {
    const cancellation = new vscode.CancellationTokenSource();
    try {
      return (await this.server.request("tensorpeek/modelMap", { uri: this.uri }, cancellation.token)) ?? undefined;
    } catch (error) {
      this.log.debug(`tensorpeek/modelMap: ${messageOf(error)}`);
      return undefined;
    } finally {
      cancellation.dispose();
    }
  }

  private show(): void {
    const { map, filter } = this;
    const trees = moduleTrees(map?.modules ?? []);
    const isWanted = wanted(filter);
    this.rows = map
      ? moduleNodes(filter === "" ? trees : filtered(trees, isWanted), map, filter === "" ? undefined : true)
      : [];
    this.view.description = map ? `${momentText(map.time)} · ${map.entry}` : "";
    const found =
      filter === ""
        ? ""
        : vscode.l10n.t("“{0}”: {1} of {2} modules", filter, count(trees, isWanted), map?.modules.length ?? 0);
    // A message has no lines of its own.
    this.view.message = [found, ...(map ? said(map) : [])].filter((text) => text !== "").join(" · ");
    void vscode.commands.executeCommand("setContext", CONTEXT_KEYS.hasModel, trees.length > 0);
    void vscode.commands.executeCommand("setContext", CONTEXT_KEYS.modelFiltered, filter !== "");
    this.treeChanged.fire();
  }
}

function wanted(filter: string): (module: TracedModule) => boolean {
  const text = filter.toLowerCase();
  return ({ path, type }) => path.toLowerCase().includes(text) || type.toLowerCase().includes(text);
}

/** What is to be known about a trace before its numbers are believed. */
function said({ problem, changed }: ModelMap): string[] {
  const names = changed.map((file) => path.basename(file)).join(", ");
  return [problem, changed.length > 0 ? vscode.l10n.t("Changed since it was traced: {0}", names) : ""];
}
