import * as vscode from "vscode";
import { shortNumber, sparkline } from "../common/numbers";
import type { LossState, TrainingState } from "../contract/messages";
import { Node, type Face } from "./node";

/** Where the training is: the step, and below it what changes with it. */
export function clockNode(state: TrainingState): Node {
  const { l10n } = vscode;
  const row = (id: string, label: string, description: string, face: Face = {}): Node =>
    new Node(`clock.${id}`, label, { description, ...face });
  const children: Node[] = [];
  if (state.gradientNorm !== null) {
    children.push(row("norm", l10n.t("gradient norm"), shortNumber(state.gradientNorm), { icon: "pulse" }));
  }
  if (state.learningRates.length > 0) {
    children.push(
      row("rate", l10n.t("learning rate"), state.learningRates.map(shortNumber).join(", "), { icon: "dashboard" }),
    );
  }
  const overhead = `${shortNumber(Number(state.overheadPercent.toPrecision(2)))} %`;
  const sampled = state.sampled === "" ? { icon: "law" } : { tooltip: state.sampled, icon: "info" };
  children.push(row("overhead", l10n.t("cost of the checks"), overhead, sampled));
  children.push(
    ...state.blind.map((sentence, index) =>
      row(`blind${String(index)}`, l10n.t("not seen"), sentence, { tooltip: sentence, icon: "eye-closed" }),
    ),
  );
  return new Node("clock", l10n.t("Step {0}", state.step), {
    description: [
      state.epoch < 0 ? "" : l10n.t("epoch {0}", state.epoch),
      state.stepMs > 0 ? l10n.t("{0} ms per step", shortNumber(Number(state.stepMs.toPrecision(3)))) : "",
    ]
      .filter((part) => part !== "")
      .join(" · "),
    icon: "watch",
    children,
  });
}

/** One loss alone is a row of its own, several are a group. */
export function lossNodes(losses: readonly LossState[]): Node[] {
  const rows = losses.map(
    ({ name, value, history }) =>
      new Node(`loss.${name}`, name, {
        description: `${shortNumber(value)} ${sparkline(history)}`,
        tooltip: lossTooltip(name, history),
        ...(typeof value === "string" ? { icon: "error", color: "list.errorForeground" } : { icon: "graph-line" }),
      }),
  );
  return rows.length > 1 ? [new Node("losses", vscode.l10n.t("Losses"), { icon: "graph-line", children: rows })] : rows;
}

function lossTooltip(name: string, history: LossState["history"]): string {
  const values = history.slice(-10).map(shortNumber).join("  ");
  return `**${name}**\n\n\`${sparkline(history, 60)}\`\n\n${values}`;
}
