import * as vscode from "vscode";
import { messageOf } from "../common/errors";
import { shortNumber } from "../common/numbers";
import type { TrainingActionArguments } from "../contract/messages";
import { COMMANDS } from "../contributions";
import { request } from "../debug/sessionClient";
import type { SessionTracker } from "../debug/sessionTracker";

/** Does something with the step that the program is stopped in, and says what was done. */
export async function act(tracker: SessionTracker, args: TrainingActionArguments): Promise<void> {
  const session = tracker.current?.session;
  if (!session) {
    return;
  }
  try {
    const { message, path } = await request(session, "tensorpeek/trainingAction", args);
    const replay = vscode.l10n.t("Replay");
    const chosen = await vscode.window.showInformationMessage(message, ...(path === "" ? [] : [replay]));
    if (chosen === replay) {
      await vscode.commands.executeCommand(COMMANDS.replayCapsule, path);
    }
  } catch (error) {
    void vscode.window.showErrorMessage(messageOf(error));
  }
}

/** Asks for the learning rate of the steps from here on. */
export async function changeLearningRate(tracker: SessionTracker): Promise<void> {
  const session = tracker.current?.session;
  if (!session) {
    return;
  }
  const { learningRates } = await request(session, "tensorpeek/training", {});
  const [present] = learningRates;
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t("Change Learning Rate"),
    value: present === undefined ? "" : String(present),
    prompt: vscode.l10n.t("Now {0}. The new one holds from this step on.", learningRates.map(shortNumber).join(", ")),
    validateInput: (typed) => (isRate(typed) ? "" : vscode.l10n.t("Type a number from 0 on, as 3e-4.")),
  });
  if (text !== undefined) {
    await act(tracker, { action: "setLearningRate", value: Number(text) });
  }
}

function isRate(text: string): boolean {
  const rate = Number(text);
  return text.trim() !== "" && Number.isFinite(rate) && rate >= 0;
}
