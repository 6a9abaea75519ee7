import * as vscode from "vscode";

/** A button below an error, and what it does. */
export interface Remedy {
  readonly label: string;
  run(): Thenable<unknown>;
}

/** Something the user can put right: its message is written for them, with the way out as a button. */
export class UserError extends Error {
  constructor(
    message: string,
    readonly remedies: readonly Remedy[] = [],
  ) {
    super(message);
    this.name = "UserError";
  }
}

/** Shows an error where nobody overlooks it, and does what the chosen button says. */
export async function showUserError(error: UserError): Promise<void> {
  const labels = error.remedies.map((remedy) => remedy.label);
  const chosen = await vscode.window.showErrorMessage(error.message, { modal: true }, ...labels);
  await error.remedies.find((remedy) => remedy.label === chosen)?.run();
}

export function openLaunchJson(): Remedy {
  return {
    label: vscode.l10n.t("Open launch.json"),
    run: () => vscode.commands.executeCommand("workbench.action.debug.configure"),
  };
}

export function asError(problem: unknown): Error {
  return problem instanceof Error ? problem : new Error(String(problem));
}

export function messageOf(error: unknown): string {
  return asError(error).message;
}
