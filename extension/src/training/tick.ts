import * as vscode from "vscode";
import { firstAfter } from "../common/firstAfter";
import type { FilterState } from "../debug/filterState";
import type { SessionTracker } from "../debug/sessionTracker";

/** VS Code sends changed check boxes at once; a busy machine may take a while to hand that on. */
const PATIENCE_MS = 5000;
const VS_CODES_OWN_PICK = "debug.toggleExceptionBreakpoints";

/**
 * Ticks check boxes of the Breakpoints view. VS Code has no API for it, so its own list is led as the keyboard leads it,
 * and the session's messages tell whether that worked. Returns those that are not ticked.
 */
export async function tick(
  tracker: SessionTracker,
  state: FilterState,
  wanted: readonly string[],
): Promise<readonly string[]> {
  const missing = (): string[] => wanted.filter((id) => !state.options.some(({ filterId }) => filterId === id));
  if (missing().length > 0) {
    const rows = state.filters.map(({ id }) => missing().includes(id));
    const commands = await vscode.commands.getCommands();
    await (commands.includes(VS_CODES_OWN_PICK) ? toggleInPick(rows) : toggleInView(rows));
    const allAreOn = (): true | undefined => missing().length === 0 || undefined;
    await (allAreOn() ?? firstAfter(tracker.onDidChangeFilters, allAreOn, PATIENCE_MS));
  }
  return missing();
}

/** VS Code's question which check boxes to tick, answered. */
async function toggleInPick(rows: readonly boolean[]): Promise<void> {
  const run = vscode.commands.executeCommand;
  await run(VS_CODES_OWN_PICK);
  await run("quickInput.first");
  for (const toggled of rows) {
    if (toggled) {
      await run("workbench.action.quickPickManyToggle");
    }
    await run("quickInput.next");
  }
  await run("workbench.action.acceptSelectedQuickOpenItem");
}

/** Older VS Codes have no such question, but a command for the row in focus. */
async function toggleInView(rows: readonly boolean[]): Promise<void> {
  const run = vscode.commands.executeCommand;
  await run("workbench.debug.action.focusBreakpointsView");
  await run("list.focusFirst");
  for (const toggled of rows) {
    if (toggled) {
      await run("debug.toggleBreakpoint");
    }
    await run("list.focusDown");
  }
}
