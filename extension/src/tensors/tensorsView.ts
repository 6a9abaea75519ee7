import * as vscode from "vscode";
import type { FromPage, PageState, ToPage } from "../../webview/tensors/protocol";
import { Disposables } from "../common/disposables";
import { messageOf } from "../common/errors";
import type { TensorTable } from "../contract/messages";
import { VIEWS } from "../contributions";
import { request } from "../debug/sessionClient";
import type { Focus, SessionTracker } from "../debug/sessionTracker";
import type { Log } from "../log";
import { act } from "./actions";
import { pageHtml } from "./page";

/** More than any screen shows; larger models are listed in part, and the page says so. */
const MOST_ROWS = 5000;

/** Milliseconds for all numbers of the list; more than one answer gets in Variables, for nobody waits for this one. */
const BUDGET_MS = 150;

/** The view “Tensors” of Run and Debug: follows the focused frame, and asks for its tensors only while it is visible. */
export class TensorsView implements vscode.WebviewViewProvider, vscode.Disposable {
  private readonly pages: vscode.Uri;
  private readonly subscription: vscode.Disposable;
  private view: vscode.WebviewView | undefined;
  /** The moment that the page shows or was asked for last; undefined to ask anew. */
  private moment: string | undefined;
  private table: TensorTable | undefined;
  private wanted: string | undefined;

  constructor(
    private readonly tracker: SessionTracker,
    private readonly log: Log,
    extensionFolder: vscode.Uri,
  ) {
    this.pages = vscode.Uri.joinPath(extensionFolder, "dist", "webview");
    this.subscription = tracker.onDidChangeFocus(() => void this.update());
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    const owned = new Disposables();
    this.view = view;
    view.webview.options = { enableScripts: true, localResourceRoots: [this.pages] };
    owned.add(view.webview.onDidReceiveMessage((message: FromPage) => void this.received(message)));
    owned.add(view.onDidChangeVisibility(() => void this.update()));
    view.onDidDispose(() => {
      owned.dispose();
      this.view = undefined;
    });
    view.webview.html = pageHtml(view.webview, this.pages);
  }

  dispose(): void {
    this.subscription.dispose();
  }

  /** Asks the debuggee again, as after a change that the debugger cannot know of. */
  async refresh(): Promise<void> {
    this.moment = undefined;
    await this.update();
  }

  /** Shows the view with the row of `expression` selected. */
  async select(expression: string): Promise<void> {
    this.wanted = expression;
    await vscode.commands.executeCommand(`${VIEWS.tensors}.focus`);
    await this.update();
    this.selectWanted();
  }

  /** The row with this expression in the table on screen. */
  row(expression: string): { line: number; path: string } | undefined {
    const row = this.table?.rows.find((candidate) => candidate.expression === expression);
    return row && this.table ? { line: row.line, path: this.table.path } : undefined;
  }

  private async received(message: FromPage): Promise<void> {
    switch (message.type) {
      case "ready":
        await this.refresh();
        break;
      case "totals":
        if (this.view) {
          this.view.description = message.text;
        }
        break;
      case "act":
        await act(message.action, message.expression, this.row(message.expression));
        break;
    }
  }

  private async update(): Promise<void> {
    if (this.view?.visible !== true) {
      return;
    }
    const { focus } = this.tracker;
    const moment = momentOf(focus);
    if (moment === this.moment) {
      return;
    }
    this.moment = moment;
    const state = await this.state(focus);
    // Another focus while the answer was on its way makes this one old.
    if (moment === this.moment) {
      this.table = state.kind === "table" ? state.table : undefined;
      this.show(state);
      this.selectWanted();
    }
  }

  private async state(focus: Focus): Promise<PageState> {
    switch (focus.kind) {
      case "none":
        return { kind: "message", text: vscode.l10n.t("Start debugging to see the tensors of a paused program.") };
      case "running":
        return { kind: "stale", text: vscode.l10n.t("The program is running. Its tensors appear when it pauses.") };
      case "plain":
        return { kind: "message", text: focus.reason };
      case "paused":
        try {
          const args = { frameId: focus.frameId, limit: MOST_ROWS, budgetMs: BUDGET_MS };
          return { kind: "table", table: await request(focus.session, "tensorpeek/tensors", args) };
        } catch (error) {
          this.log.warn(`tensorpeek/tensors: ${messageOf(error)}`);
          return { kind: "message", text: vscode.l10n.t("The tensors could not be listed: {0}", messageOf(error)) };
        }
    }
  }

  private selectWanted(): void {
    const wanted = this.wanted;
    if (wanted === undefined || !this.table) {
      return;
    }
    this.wanted = undefined;
    const plain = (text: string): string => text.replaceAll('"', "'");
    const row = this.table.rows.find((candidate) => plain(candidate.expression) === plain(wanted));
    if (row) {
      this.post({ type: "select", expression: row.expression });
    } else {
      void vscode.window.showInformationMessage(
        vscode.l10n.t(
          "“{0}” is not in the list: it is not reachable by a name of this frame, or the list is cut off.",
          wanted,
        ),
      );
    }
  }

  private show(state: PageState): void {
    this.post({ type: "state", state });
  }

  private post(message: ToPage): void {
    void this.view?.webview.postMessage(message);
  }
}

function momentOf(focus: Focus): string {
  switch (focus.kind) {
    case "paused":
      return [focus.session.id, focus.frameId, focus.revision].join("\n");
    case "plain":
      return `plain\n${focus.reason}`;
    default:
      return focus.kind;
  }
}
