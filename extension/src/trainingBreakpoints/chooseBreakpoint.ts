import * as path from "node:path";
import * as vscode from "vscode";
import { breakpointsAt, placeOf, trainingBreakpoints, type LinePlace } from "../debug/lineConditions";

/** Where the user wants a breakpoint: the line of the menu, of a code action (0-based there), or of the cursor. */
export function lineMeant(where: LinePlace | string | undefined, line: number | undefined): LinePlace | undefined {
  if (typeof where === "string") {
    return { uri: vscode.Uri.parse(where), lineNumber: (line ?? 0) + 1 };
  }
  return where ?? lineOfCursor();
}

/** The breakpoint to edit: that of the line, else one that the user chooses from all with a `tp` condition. */
export async function breakpointMeant(where: LinePlace | undefined): Promise<vscode.SourceBreakpoint | undefined> {
  const place = where ?? lineOfCursor();
  const [there] = place ? breakpointsAt(place) : [];
  if (there) {
    return there;
  }
  const all = trainingBreakpoints();
  if (all.length === 0) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t(
        "There is no training breakpoint yet. Right-click a line number and choose Add Training Breakpoint.",
      ),
    );
    return undefined;
  }
  const items = all.map((breakpoint) => ({
    label: breakpoint.condition ?? breakpoint.logMessage ?? "",
    description: lineText(breakpoint),
    breakpoint,
  }));
  const title = vscode.l10n.t("Edit Training Breakpoint");
  return (await vscode.window.showQuickPick(items, { title, matchOnDescription: true }))?.breakpoint;
}

/** As in `train.py:28`. */
export function lineText(breakpoint: vscode.SourceBreakpoint): string {
  const { uri, lineNumber } = placeOf(breakpoint);
  return `${path.basename(uri.fsPath)}:${String(lineNumber)}`;
}

function lineOfCursor(): LinePlace | undefined {
  const editor = vscode.window.activeTextEditor;
  return editor && { uri: editor.document.uri, lineNumber: editor.selection.active.line + 1 };
}
