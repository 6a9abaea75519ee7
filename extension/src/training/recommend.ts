import * as vscode from "vscode";
import { messageOf } from "../common/errors";
import { firstAfter } from "../common/firstAfter";
import type { Recommendation } from "../contract/messages";
import type { FilterOption, FilterState } from "../debug/filterState";
import { request } from "../debug/sessionClient";
import type { SessionTracker } from "../debug/sessionTracker";
import { filterOf } from "./conditions";

/** VS Code sends a changed check box at once. */
const PATIENCE_MS = 1500;

/** Looks at the model that is trained, says which conditions fit it and why, and ticks those that the user keeps. */
export async function recommend(tracker: SessionTracker): Promise<void> {
  const current = tracker.current;
  if (!current) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t("Start the training first: what fits is judged by the model and its first steps."),
    );
    return;
  }
  const { session, filters } = current;
  try {
    const { recommendations, basis } = await request(session, "tensorpeek/recommend", {});
    const chosen = await choose(recommendations, basis, filters);
    if (chosen) {
      const left = await tick(tracker, filters, chosen);
      await tune(session, filters, chosen);
      tell(chosen.length, left.length);
    }
  } catch (error) {
    void vscode.window.showErrorMessage(messageOf(error));
  }
}

async function choose(
  recommendations: readonly Recommendation[],
  basis: string,
  { filters }: FilterState,
): Promise<readonly Recommendation[] | undefined> {
  const items = recommendations.map((recommendation) => {
    const filter = filters.find(({ id }) => id === filterOf(recommendation.condition));
    return {
      label: filter?.label ?? recommendation.condition,
      description: recommendation.settings,
      detail: recommendation.reason,
      picked: true,
      recommendation,
    };
  });
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t("Recommended for This Model"),
    placeHolder: basis,
    canPickMany: true,
    ignoreFocusOut: true,
    matchOnDetail: true,
  });
  return chosen?.map(({ recommendation }) => recommendation);
}

/**
 * Ticks check boxes as the keyboard does, for VS Code has no API for it, and looks each time whether it did;
 * returns those that it could not tick.
 */
async function tick(
  tracker: SessionTracker,
  state: FilterState,
  chosen: readonly Recommendation[],
): Promise<readonly string[]> {
  const isOn = (id: string): boolean => state.options.some(({ filterId }) => filterId === id);
  const missing = chosen.map(({ condition }) => filterOf(condition)).filter((id) => !isOn(id));
  await vscode.commands.executeCommand("workbench.debug.action.focusBreakpointsView");
  for (const id of missing) {
    const row = state.filters.findIndex((filter) => filter.id === id);
    await vscode.commands.executeCommand("list.focusFirst");
    if (row > 0) {
      await vscode.commands.executeCommand("list.focusDown", row);
    }
    await vscode.commands.executeCommand("debug.toggleBreakpoint");
    const look = (): true | undefined => isOn(id) || undefined;
    if (row < 0 || !(look() ?? (await firstAfter(tracker.onDidChangeFilters, look, PATIENCE_MS)))) {
      // The list is another one than the session's: what was changed there is put back.
      await vscode.commands.executeCommand("debug.toggleBreakpoint");
      break;
    }
  }
  return missing.filter((id) => !isOn(id));
}

/** Asks the adapter itself for what no check box says: settings, and boxes that could not be ticked. */
async function tune(
  session: vscode.DebugSession,
  { options }: FilterState,
  chosen: readonly Recommendation[],
): Promise<void> {
  const wanted = new Map<string, FilterOption>(options.map((option) => [option.filterId, option]));
  for (const { condition, settings } of chosen) {
    const filterId = filterOf(condition);
    const present = wanted.get(filterId);
    if (!present || (settings !== "" && present.condition === undefined)) {
      wanted.set(filterId, settings === "" ? { filterId } : { filterId, condition: settings });
    }
  }
  const changed = [...wanted.values()].some((option) => !options.includes(option));
  if (changed) {
    await session.customRequest("setExceptionBreakpoints", { filters: [], filterOptions: [...wanted.values()] });
  }
}

function tell(chosen: number, left: number): void {
  const done =
    left === 0
      ? vscode.l10n.t("{0} conditions are ticked in Breakpoints.", chosen)
      : vscode.l10n.t(
          "{0} conditions hold in this session. {1} of them could not be ticked: tick them in Breakpoints to keep them.",
          chosen,
          left,
        );
  void vscode.window.showInformationMessage(done);
}
