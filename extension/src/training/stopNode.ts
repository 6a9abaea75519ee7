import * as vscode from "vscode";
import type { Finding } from "../contract/messages";
import { COMMANDS } from "../contributions";
import { Node } from "./node";

/** While the program is stopped for a finding: what can be done before the weights change. */
export function stopNode(finding: Finding): Node {
  const { l10n } = vscode;
  const action = (command: string, label: string, icon: string, tooltip: string): Node =>
    new Node(`stop.${command}`, label, { icon, tooltip, command: { command, title: "" } });
  return new Node("stop", finding.title, {
    description: l10n.t("What now?"),
    tooltip: finding.message,
    icon: "debug-pause",
    color: "list.errorForeground",
    children: [
      action(
        COMMANDS.skipStep,
        l10n.t("Skip This Step"),
        "debug-step-over",
        l10n.t("Go on without changing the weights in this step."),
      ),
      action(
        COMMANDS.dropBatch,
        l10n.t("Drop This Batch"),
        "trash",
        l10n.t("Go on as if this batch had not been there: no backward, no step."),
      ),
      action(COMMANDS.setLearningRate, l10n.t("Change Learning Rate…"), "settings", l10n.t("From this step on.")),
      action(
        COMMANDS.saveCapsule,
        l10n.t("Save Capsule"),
        "archive",
        l10n.t("Batch, random state, model and optimizer of this step, to replay it."),
      ),
    ],
  });
}

/** While the program is stopped at a line: what the condition there said. */
export function saidNode(said: string): Node {
  return new Node("said", said, { icon: "debug-pause", color: "list.errorForeground" });
}
