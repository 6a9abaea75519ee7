import * as vscode from "vscode";

/** A line of a file, as VS Code passes it to a command of the line number's menu. */
export interface LinePlace {
  readonly uri: vscode.Uri;
  /** 1-based. */
  readonly lineNumber: number;
}

/** Every breakpoint whose condition or message asks `tp` something, in the order of files and lines. */
export function trainingBreakpoints(): vscode.SourceBreakpoint[] {
  const asksTp = (text: string | undefined): boolean => /\btp\s*\./.test(text ?? "");
  return vscode.debug.breakpoints
    .filter((breakpoint) => breakpoint instanceof vscode.SourceBreakpoint)
    .filter(({ condition, logMessage }) => asksTp(condition) || asksTp(logMessage))
    .sort((a, b) => key(a).localeCompare(key(b)));
}

export function breakpointsAt({ uri, lineNumber }: LinePlace): vscode.SourceBreakpoint[] {
  return vscode.debug.breakpoints
    .filter((breakpoint) => breakpoint instanceof vscode.SourceBreakpoint)
    .filter(({ location }) => String(location.uri) === String(uri) && location.range.start.line === lineNumber - 1);
}

export function placeOf({ location }: vscode.SourceBreakpoint): LinePlace {
  return { uri: location.uri, lineNumber: location.range.start.line + 1 };
}

/** Gives the line one breakpoint with this condition; what else one had there, it keeps. */
export function setCondition(place: LinePlace, condition: string): void {
  change(place, { condition });
}

/** Gives the line one breakpoint with this message, which does not stop; what else one had there, it keeps. */
export function setLogMessage(place: LinePlace, logMessage: string): void {
  change(place, { logMessage });
}

function change(place: LinePlace, texts: Partial<Pick<vscode.SourceBreakpoint, "condition" | "logMessage">>): void {
  const [previous, ...others] = breakpointsAt(place);
  vscode.debug.removeBreakpoints(previous ? [previous, ...others] : []);
  const location = previous?.location ?? new vscode.Location(place.uri, new vscode.Position(place.lineNumber - 1, 0));
  const { condition, logMessage } = { condition: previous?.condition, logMessage: previous?.logMessage, ...texts };
  vscode.debug.addBreakpoints([
    new vscode.SourceBreakpoint(location, true, condition, previous?.hitCondition, logMessage),
  ]);
}

function key(breakpoint: vscode.SourceBreakpoint): string {
  const { uri, lineNumber } = placeOf(breakpoint);
  return `${String(uri)} ${String(lineNumber).padStart(6, "0")}`;
}
