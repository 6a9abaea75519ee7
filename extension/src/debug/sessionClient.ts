import type * as vscode from "vscode";
import type { DebugRequests } from "../contract/messages";

/** Sends one of our custom DAP requests; typed by its method. */
export async function request<M extends keyof DebugRequests>(
  session: vscode.DebugSession,
  method: M,
  args: DebugRequests[M]["arguments"],
): Promise<DebugRequests[M]["result"]> {
  return (await session.customRequest(method, args)) as DebugRequests[M]["result"];
}
