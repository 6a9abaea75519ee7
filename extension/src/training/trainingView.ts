import * as vscode from "vscode";
import { coalesced } from "../common/coalesce";
import { Disposables } from "../common/disposables";
import { messageOf } from "../common/errors";
import type { Finding, TrainingState } from "../contract/messages";
import { CONTEXT_KEYS, VIEWS } from "../contributions";
import { trainingBreakpoints } from "../debug/lineConditions";
import { request } from "../debug/sessionClient";
import type { SessionTracker } from "../debug/sessionTracker";
import type { Log } from "../log";
import { clockNode, lossNodes } from "./clock";
import { filtersNode, lineConditionsNode } from "./conditions";
import { findingsNode } from "./findings";
import type { Node } from "./node";
import { saidNode, stopNode } from "./stopNode";

const INTERVAL_MS = 1000;

/** The view “Training” of Run and Debug: the clock, the losses, what is watched for, and what was found. */
export class TrainingView implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly owned = new Disposables();
  private readonly treeChanged = this.owned.add(new vscode.EventEmitter<void>());
  readonly onDidChangeTreeData = this.treeChanged.event;
  private readonly view: vscode.TreeView<Node>;
  /** Of the session in focus, or of the last one. */
  private state: TrainingState | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly tracker: SessionTracker,
    private readonly log: Log,
  ) {
    this.view = this.owned.add(vscode.window.createTreeView(VIEWS.training, { treeDataProvider: this }));
    const refresh = (): void => void this.refresh();
    this.owned.add(this.view.onDidChangeVisibility(refresh));
    this.owned.add(tracker.onDidChangeFocus(refresh));
    this.owned.add(tracker.onDidChangeFilters(refresh));
    this.owned.add(tracker.onDidFind(refresh));
    this.owned.add(vscode.debug.onDidChangeBreakpoints(refresh));
    refresh();
  }

  getTreeItem(node: Node): Node {
    return node;
  }

  getChildren(node?: Node): Node[] {
    return node ? [...node.children] : this.roots();
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.owned.dispose();
  }

  /** The findings shown, the latest last. */
  get findings(): readonly Finding[] {
    return this.state?.findings ?? [];
  }

  private readonly refresh = coalesced(async () => {
    clearTimeout(this.timer);
    const { stop, focus } = this.tracker;
    void vscode.commands.executeCommand("setContext", CONTEXT_KEYS.stoppedForTraining, stop !== undefined);
    const lines = trainingBreakpoints();
    const hasOwn = lines.length > 0 || this.findings.length > 0;
    void vscode.commands.executeCommand("setContext", CONTEXT_KEYS.hasTraining, hasOwn);
    if (!this.view.visible) {
      return;
    }
    await this.ask();
    this.view.badge = badge(this.findings);
    this.treeChanged.fire();
    if (focus.kind === "running") {
      this.timer = setTimeout(() => void this.refresh(), INTERVAL_MS);
    }
  });

  /** Asks the program; without one, what it said last stays. */
  private async ask(): Promise<void> {
    const current = this.tracker.current;
    if (current?.mode?.mode !== "active") {
      return;
    }
    try {
      this.state = await request(current.session, "tensorpeek/training", {});
    } catch (error) {
      this.log.debug(`tensorpeek/training: ${messageOf(error)}`);
    }
  }

  private roots(): Node[] {
    const { stop, said } = this.tracker;
    const lines = trainingBreakpoints();
    const hasBegun = this.state !== undefined && (this.state.step > 0 || this.state.losses.length > 0);
    return [
      ...(stop ? [stopNode(stop)] : said === "" ? [] : [saidNode(said)]),
      ...(hasBegun && this.state ? [clockNode(this.state), ...lossNodes(this.state.losses)] : []),
      ...(lines.length > 0 ? [lineConditionsNode(lines)] : []),
      filtersNode(this.tracker.current?.filters.filters ?? []),
      findingsNode(this.findings),
    ];
  }
}

function badge(findings: readonly Finding[]): vscode.ViewBadge | undefined {
  return findings.length === 0
    ? undefined
    : { value: findings.length, tooltip: vscode.l10n.t("{0} findings in this training", findings.length) };
}
