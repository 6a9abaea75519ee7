import * as vscode from "vscode";
import { COMMANDS } from "../contributions";
import { placeOf, setCondition, type LinePlace } from "../debug/lineConditions";
import type { SessionTracker } from "../debug/sessionTracker";
import type { ServerClient } from "../languageClient/serverClient";
import type { Log } from "../log";
import { addTrainingBreakpoint } from "./addTrainingBreakpoint";
import { breakOnModule } from "./breakOnModule";
import { breakpointMeant, lineMeant } from "./chooseBreakpoint";
import { editCondition } from "./conditionEditor";

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
        const place = placeOf(breakpoint);
        const condition = await editCondition(breakpoint.condition ?? "", place, server);
        if (condition !== undefined) {
          setCondition(place, condition);
        }
      }
    }),
    register(COMMANDS.breakOnModule, () => breakOnModule(tracker, log)),
  ];
}
