import * as vscode from "vscode";
import { COMMANDS } from "../contributions";
import { placeOf, setCondition, setLogMessage, type LinePlace } from "../debug/lineConditions";
import type { SessionTracker } from "../debug/sessionTracker";
import type { ServerClient } from "../languageClient/serverClient";
import type { Log } from "../log";
import { addTrainingBreakpoint } from "./addTrainingBreakpoint";
import { breakOnModule } from "./breakOnModule";
import { breakpointMeant, lineMeant } from "./chooseBreakpoint";
import { editCondition } from "./conditionEditor";
import { askLogMessage } from "./logMessage";

export function registerTrainingBreakpoints(
  server: ServerClient,
  tracker: SessionTracker,
  log: Log,
): vscode.Disposable[] {
  const register = vscode.commands.registerCommand;
  return [
    register(COMMANDS.addTrainingBreakpoint, (where?: LinePlace | string, line?: number) =>
      addTrainingBreakpoint(lineMeant(where, line), server, tracker),
    ),
    register(COMMANDS.editTrainingBreakpoint, async (where?: LinePlace) => {
      const breakpoint = await breakpointMeant(where);
      if (breakpoint) {
        await edit(breakpoint, server);
      }
    }),
    register(COMMANDS.breakOnModule, (row?: { readonly path?: string }) => breakOnModule(tracker, log, row?.path)),
  ];
}

/** Edits what makes it a training breakpoint: its condition, else its message. */
async function edit(breakpoint: vscode.SourceBreakpoint, server: ServerClient): Promise<void> {
  const place = placeOf(breakpoint);
  const { condition, logMessage } = breakpoint;
  if (condition === undefined && logMessage !== undefined) {
    const message = await askLogMessage(logMessage, place, server);
    if (message !== undefined) {
      setLogMessage(place, message);
    }
    return;
  }
  const edited = await editCondition(condition ?? "", place, server);
  if (edited !== undefined) {
    setCondition(place, edited);
  }
}
