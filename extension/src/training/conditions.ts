import * as path from "node:path";
import * as vscode from "vscode";
import { COMMANDS } from "../contributions";
import type { Filter } from "../debug/filterState";
import { placeOf } from "../debug/lineConditions";
import { Node } from "./node";

/** Before the id of a training-wide condition, in the id of its check box. */
const FILTER_PREFIX = "tp.";

/** The check box of a condition. */
export function filterOf(condition: string): string {
  return FILTER_PREFIX + condition;
}

/** The check boxes of ours, of those that a session offers. */
export function trainingFilters(filters: readonly Filter[]): Filter[] {
  return filters.filter(({ id }) => id.startsWith(FILTER_PREFIX));
}

/** The breakpoints of lines that ask `tp`. */
export function lineConditionsNode(breakpoints: readonly vscode.SourceBreakpoint[]): Node {
  const children = breakpoints.map((breakpoint) => {
    const place = placeOf(breakpoint);
    const text = breakpoint.condition ?? breakpoint.logMessage ?? "";
    const line = `${path.basename(place.uri.fsPath)}:${String(place.lineNumber)}`;
    return new Node(`line.${String(place.uri)}:${String(place.lineNumber)}`, text, {
      description: line,
      tooltip: `${line}\n\n\`\`\`python\n${text}\n\`\`\``,
      icon: iconOf(breakpoint),
      color: breakpoint.enabled ? "debugIcon.breakpointForeground" : "debugIcon.breakpointDisabledForeground",
      context: "lineCondition",
      place,
      command: {
        command: COMMANDS.openFinding,
        title: "",
        arguments: [place.uri.fsPath, place.lineNumber],
      },
    });
  });
  return new Node("lines", vscode.l10n.t("Line conditions"), { icon: "debug-breakpoint-conditional", children });
}

/** The check boxes that are ticked; the others are a click away, where VS Code keeps them. */
export function filtersNode(filters: readonly Filter[]): Node {
  const { l10n } = vscode;
  const ours = trainingFilters(filters);
  const ticked = ours.filter(({ on }) => on);
  const children = ticked.map(({ id, label, description, settings, problem }) =>
    problem === ""
      ? new Node(`filter.${id}`, label, { description: settings, tooltip: description, icon: "pass-filled" })
      : new Node(`filter.${id}`, label, {
          description: problem,
          tooltip: problem,
          icon: "error",
          color: "list.errorForeground",
        }),
  );
  const change = new Node("filters.change", l10n.t("Tick in Breakpoints…"), {
    icon: "checklist",
    command: { command: COMMANDS.showConditions, title: "" },
  });
  return new Node("filters", l10n.t("Conditions"), {
    description: ours.length === 0 ? "" : l10n.t("{0} of {1}", ticked.length, ours.length),
    icon: "checklist",
    children: [...children, change],
  });
}

function iconOf({ enabled, logMessage }: vscode.SourceBreakpoint): string {
  const kind = logMessage === undefined ? "debug-breakpoint-conditional" : "debug-breakpoint-log";
  return enabled ? kind : `${kind}-disabled`;
}
