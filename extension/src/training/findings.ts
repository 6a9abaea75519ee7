import * as path from "node:path";
import * as vscode from "vscode";
import { shortNumber, sparkline } from "../common/numbers";
import type { Finding } from "../contract/messages";
import { COMMANDS } from "../contributions";
import { Node } from "./node";

/** What went wrong, the latest first. */
export function findingsNode(findings: readonly Finding[]): Node {
  const { l10n } = vscode;
  if (findings.length === 0) {
    return new Node("findings.none", l10n.t("No findings"), { icon: "pass" });
  }
  return new Node("findings", l10n.t("Findings"), {
    description: String(findings.length),
    icon: "warning",
    color: "list.warningForeground",
    children: [...findings].reverse().map((finding, index) => findingNode(finding, index === 0)),
  });
}

/** @param isOpen whether its cause, its line and what to do next are seen at once */
function findingNode(finding: Finding, isOpen: boolean): Node {
  const id = `finding.${String(finding.rank)}.${String(finding.number)}`;
  const command = finding.line > 0 ? openingOf(finding) : {};
  const about = (name: string, label: string, icon: string, description = ""): Node =>
    new Node(`${id}.${name}`, label, { description, tooltip: tooltip(finding), icon, ...command });
  return new Node(id, finding.title, {
    description: whenText(finding),
    tooltip: tooltip(finding),
    icon: "circle-filled",
    color: finding.stopped ? "list.errorForeground" : "list.warningForeground",
    context: finding.line > 0 ? "findingWithLine" : "finding",
    isOpen,
    ...command,
    children: [
      about("cause", finding.message, "search"),
      ...(finding.line > 0 ? [about("line", placeText(finding), "go-to-file", finding.lineText.trim())] : []),
      ...finding.next.map((advice, index) => about(`next${String(index)}`, advice, "lightbulb")),
    ],
  });
}

function openingOf({ path: file, line }: Finding): { command: vscode.Command } {
  return { command: { command: COMMANDS.openFinding, title: "", arguments: [file, line] } };
}

/** Opens the line of a finding, or of a line that belongs to it. */
export async function openLine(file: string, line: number): Promise<void> {
  const start = new vscode.Position(line - 1, 0);
  await vscode.window.showTextDocument(vscode.Uri.file(file), { selection: new vscode.Range(start, start) });
}

function placeText({ path: file, line }: Finding): string {
  return line > 0 ? `${path.basename(file)}:${String(line)}` : "";
}

function whenText({ step, rank }: Finding): string {
  return [step >= 0 ? vscode.l10n.t("step {0}", step) : "", rank > 0 ? vscode.l10n.t("rank {0}", rank) : ""]
    .filter((part) => part !== "")
    .join(" · ");
}

function tooltip(finding: Finding): string {
  const { title, message, lineText, value, threshold, history, evidence, next } = finding;
  const numbers = [
    value === null ? "" : vscode.l10n.t("value {0}", shortNumber(value)),
    threshold === null ? "" : vscode.l10n.t("threshold {0}", shortNumber(threshold)),
    history.length > 1 ? sparkline(history, 40) : "",
  ].filter((part) => part !== "");
  return [
    [`**${title}**`, placeText(finding), whenText(finding)].filter((part) => part !== "").join(" · "),
    escaped(message),
    lineText === "" ? "" : code(lineText.trim(), "python"),
    escaped(numbers.join(" · ")),
    evidence.length > 0 ? code(evidence.join("\n"), "text") : "",
    next.map((advice) => `- ${escaped(advice)}`).join("\n"),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function code(text: string, language: string): string {
  return `\`\`\`\`${language}\n${text}\n\`\`\`\``;
}

function escaped(text: string): string {
  return text.replaceAll(/[\\*_{}[\]<>#|~]/g, "\\$&");
}
