import * as vscode from "vscode";
import type { LinePlace } from "../debug/lineConditions";

/** What a row of the view may say beyond its label. */
export interface Face {
  readonly description?: string;
  /** Markdown. */
  readonly tooltip?: string;
  /** A codicon, and the theme colour that it has. */
  readonly icon?: string;
  readonly color?: string;
  /** For the `when` clauses of the row's menu. */
  readonly context?: string;
  readonly command?: vscode.Command;
  readonly place?: LinePlace;
  readonly children?: readonly Node[];
  /** Whether the children are seen at first; so they are unless this says no. */
  readonly isOpen?: boolean;
}

/** A row of the view “Training”; with children it is a group. */
export class Node extends vscode.TreeItem {
  readonly children: readonly Node[];
  /** What the commands of a row about a line are given. */
  readonly uri: vscode.Uri | undefined;
  readonly lineNumber: number | undefined;

  /** @param id names the row in its tree, so that it stays open when its texts change */
  constructor(id: string, label: string, face: Face) {
    const { children = [], icon, color, place, isOpen = true } = face;
    const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;
    super(label, children.length === 0 ? None : isOpen ? Expanded : Collapsed);
    this.id = id;
    this.children = children;
    this.uri = place?.uri;
    this.lineNumber = place?.lineNumber;
    this.description = face.description ?? "";
    this.tooltip = face.tooltip === undefined ? label : new vscode.MarkdownString(face.tooltip);
    if (icon !== undefined) {
      this.iconPath = new vscode.ThemeIcon(icon, color === undefined ? undefined : new vscode.ThemeColor(color));
    }
    if (face.context !== undefined) {
      this.contextValue = face.context;
    }
    if (face.command !== undefined) {
      this.command = face.command;
    }
  }
}
