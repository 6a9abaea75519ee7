import * as vscode from "vscode";
import { COMMANDS } from "../contributions";
import type { SessionTracker, TrackedSession } from "../debug/sessionTracker";

/** Says whether TensorPeek presents the values of the session in focus, and if not, why. */
export class StatusBar implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("tensorpeek.mode", vscode.StatusBarAlignment.Left, 0);
  private readonly subscription: vscode.Disposable;

  constructor(private readonly tracker: SessionTracker) {
    this.item.name = "TensorPeek";
    this.item.command = COMMANDS.showLog;
    this.subscription = tracker.onDidChangeSessions(() => {
      this.update();
    });
  }

  dispose(): void {
    this.subscription.dispose();
    this.item.dispose();
  }

  private update(): void {
    const { current } = this.tracker;
    if (!current) {
      this.item.hide();
      return;
    }
    const { text, tooltip } = face(current);
    this.item.text = text;
    this.item.tooltip = tooltip;
    this.item.accessibilityInformation = { label: tooltip };
    this.item.show();
  }
}

function face({ session, mode }: TrackedSession): { text: string; tooltip: string } {
  if (!mode) {
    return {
      text: "$(eye) TensorPeek",
      tooltip: vscode.l10n.t("TensorPeek is waiting for “{0}” to start.", session.name),
    };
  }
  switch (mode.mode) {
    case "active":
      return {
        text: `$(eye) ${vscode.l10n.t("TensorPeek active")}`,
        tooltip: withReason(vscode.l10n.t("TensorPeek shows the tensors of “{0}”.", session.name), mode.reason),
      };
    case "plain":
      return {
        text: `$(eye-closed) ${vscode.l10n.t("TensorPeek plain")}`,
        tooltip: withReason(vscode.l10n.t("“{0}” runs as a plain Python session.", session.name), mode.reason),
      };
  }
}

function withReason(sentence: string, reason: string): string {
  return reason === "" ? sentence : `${sentence} ${reason}`;
}
