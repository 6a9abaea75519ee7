import * as vscode from "vscode";
import { messageOf } from "../common/errors";
import type { Recommendation } from "../contract/messages";
import type { FilterOption, FilterState } from "../debug/filterState";
import { request } from "../debug/sessionClient";
import type { SessionTracker } from "../debug/sessionTracker";
import { filterOf } from "./conditions";
import { tick } from "./tick";

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
      const left = await tick(
        tracker,
        filters,
        chosen.map(({ condition }) => filterOf(condition)),
      );
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
