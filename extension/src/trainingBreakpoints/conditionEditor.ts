import * as vscode from "vscode";
import { Disposables } from "../common/disposables";
import type { ConditionExplanation } from "../contract/messages";
import type { LinePlace } from "../debug/lineConditions";
import type { ServerClient } from "../languageClient/serverClient";

interface Choice extends vscode.QuickPickItem {
  /** The condition with this completion; absent in the row that takes the condition as it is. */
  readonly completed?: string;
}

/** Lets the user edit a condition while the server explains, checks and completes it; undefined when they give up. */
export async function editCondition(text: string, place: LinePlace, server: ServerClient): Promise<string | undefined> {
  const owned = new Disposables();
  const pick = owned.add(vscode.window.createQuickPick<Choice>());
  pick.title = vscode.l10n.t("Condition of Line {0}", place.lineNumber);
  pick.placeholder = vscode.l10n.t("A Python expression; tp knows the training, as in tp.spike(loss)");
  pick.ignoreFocusOut = true;

  let asked = owned.add(new vscode.CancellationTokenSource());
  let problem = "";
  const explain = async (): Promise<void> => {
    asked.cancel();
    asked = owned.add(new vscode.CancellationTokenSource());
    const { token } = asked;
    const { value } = pick;
    const params = { text: value, uri: place.uri.toString(), line: place.lineNumber - 1 };
    const found = await server.request("tensorpeek/explainCondition", params, token).catch(() => undefined);
    if (!token.isCancellationRequested) {
      problem = found?.problem ?? "";
      pick.items = choices(value, found);
    }
  };
  owned.add(pick.onDidChangeValue(explain));
  pick.value = text;
  await explain();

  const result = await new Promise<string | undefined>((resolve) => {
    owned.add(
      pick.onDidAccept(() => {
        const completed = pick.selectedItems[0]?.completed;
        if (completed !== undefined) {
          pick.value = completed;
          void explain();
        } else if (problem === "" && pick.value.trim() !== "") {
          resolve(pick.value.trim());
        }
      }),
    );
    owned.add(
      pick.onDidHide(() => {
        resolve(undefined);
      }),
    );
    pick.show();
  });
  owned.dispose();
  return result;
}

function choices(text: string, found: ConditionExplanation | undefined): Choice[] {
  const completions = (found?.completions ?? []).map((completion): Choice => ({
    label: `$(symbol-method) ${completion.label}`,
    detail: completion.detail,
    completed: completion.text,
    alwaysShow: true,
  }));
  return text.trim() === "" ? completions : [itself(text.trim(), found), ...completions];
}

function itself(text: string, found: ConditionExplanation | undefined): Choice {
  const problem = found?.problem ?? "";
  return {
    label: `${problem === "" ? "$(check)" : "$(error)"} ${text}`,
    detail: problem === "" ? (found?.explanation ?? "") : problem,
    alwaysShow: true,
  };
}
