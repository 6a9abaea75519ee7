import type * as vscode from "vscode";
import type { Focus } from "../debug/sessionTracker";

/** VS Code's escape codes for colour, which a quick pick would print. */
const COLOUR = /\x1b\[[\d;]*m/g;

/** What each expression is at the paused line, empty where it has no value there; nothing is called for it. */
export async function presentValues(focus: Focus, expressions: readonly string[]): Promise<readonly string[]> {
  if (focus.kind !== "paused") {
    return expressions.map(() => "");
  }
  const { session, frameId } = focus;
  return Promise.all(
    expressions.map((expression) =>
      expression.includes("(") ? Promise.resolve("") : value(session, frameId, expression),
    ),
  );
}

async function value(session: vscode.DebugSession, frameId: number, expression: string): Promise<string> {
  try {
    const args = { expression, frameId, context: "watch" };
    const { result } = (await session.customRequest("evaluate", args)) as { result: string };
    return result.replaceAll(COLOUR, "");
  } catch {
    // A name that is not bound yet at this line.
    return "";
  }
}
